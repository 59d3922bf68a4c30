// meta.h - the names under which the protocol itself speaks in a `_meta` object.
#ifndef DEFT_MCP_META_H
#define DEFT_MCP_META_H

#define DEFT__MCP_META "io.modelcontextprotocol/" // all names that begin so belong to the protocol

#define DEFT__MCP_META_VERSION      DEFT__MCP_META "protocolVersion"
#define DEFT__MCP_META_CAPABILITIES DEFT__MCP_META "clientCapabilities"
#define DEFT__MCP_META_CLIENT_INFO  DEFT__MCP_META "clientInfo"
#define DEFT__MCP_META_LOG_LEVEL    DEFT__MCP_META "logLevel"
#define DEFT__MCP_META_SERVER_INFO  DEFT__MCP_META "serverInfo"

#endif
