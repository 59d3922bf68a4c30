-- web.lua: for wrk, what a client of MCP sends. Arguments behind `--`: the session's id or "modern", the tool (or
-- "ping"), and a file with queries to search for, one a line, as @FILE. Ids differ, as they must
-- within a session.
local bodies, count

local meta = ',"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",' ..
   '"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},' ..
   '"io.modelcontextprotocol/clientCapabilities":{}}'

-- What comes before the id, and what comes behind it.
local function call(tool, arguments, is_modern)
   return { '{"jsonrpc":"2.0","id":', ',"method":"tools/call","params":{"name":"' .. tool ..
      '","arguments":' .. arguments .. (is_modern and meta or "") .. "}}" }
end

function init(args)
   local session, tool = args[1], args[2]
   local is_modern = session == "modern"
   local era = is_modern and "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: " ..
      tool or "MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: " .. session
   bodies = {}
   if tool == "ping" then
      bodies[1] = { '{"jsonrpc":"2.0","id":', ',"method":"ping"}' }
   elseif #args < 3 then
      bodies[1] = call(tool, '{"text":"hello"}', is_modern)
   else
      for query in io.lines(args[3]:sub(2)) do
         bodies[#bodies + 1] = call(tool, '{"query":"' .. query .. '"}', is_modern)
      end
   end
   for _, body in ipairs(bodies) do
      body[1] = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" ..
         "Accept: application/json, text/event-stream\r\n" .. era ..
         "\r\nContent-Length: " .. (#body[1] + 9 + #body[2]) .. "\r\n\r\n" .. body[1]
   end
   count = 100000000
end

function request()
   count = count + 1
   local body = bodies[count % #bodies + 1]
   return body[1] .. count .. body[2]
end

function done(summary, latency, _)
   local bad = summary.errors.connect + summary.errors.read + summary.errors.write +
      summary.errors.status + summary.errors.timeout
   io.write(string.format("RESULT %.0f %.0f %.0f %d %d\n", summary.requests / summary.duration * 1e6,
      latency:percentile(50), latency:percentile(99), bad, summary.requests))
end
