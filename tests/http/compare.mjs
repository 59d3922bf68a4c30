// compare.mjs PARSE - sends the same bytes to Node's HTTP server and to our reader (PARSE reads
// them on stdin) and compares who accepts what. Node's answers are the bar: what it refuses, we
// refuse. Where we refuse more, the case says so and why; where we would refuse less, this fails.
import http from 'node:http'
import net from 'node:net'
import { spawnSync } from 'node:child_process'

const parse = process.argv[2]
const host = 'Host: h\r\n'
const get = `GET / HTTP/1.1\r\n${host}`
const post = `POST /mcp HTTP/1.1\r\n${host}`
const chunked = `${post}Transfer-Encoding: chunked\r\n\r\n`
const old = 'POST / HTTP/1.0\r\n'

// [name, bytes, why we refuse what Node accepts]
const cases = [
  ['a request', `${get}\r\n`],
  ['a body', `${post}Content-Length: 5\r\n\r\nhello`],
  ['chunks', `${chunked}5\r\nhello\r\n0\r\n\r\n`],
  ['chunk extensions', `${chunked}5;a=b\r\nhello\r\n0\r\n\r\n`],
  ['trailers', `${chunked}5\r\nhello\r\n0\r\nDigest: x\r\n\r\n`],
  ['two requests', `${get}\r\n${get}\r\n`],
  ['an empty line in front', `\r\n${get}\r\n`],
  ['HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n'],
  ['a URL as target', `GET http://h/ HTTP/1.1\r\n${host}\r\n`],
  ['OPTIONS', `OPTIONS * HTTP/1.1\r\n${host}\r\n`],
  ['DELETE', `DELETE /mcp HTTP/1.1\r\n${host}\r\n`],
  ['bytes beyond ASCII in a value', `${get}A: caf\u00e9\r\n\r\n`],
  ['an empty value', `${get}A:\r\n\r\n`],

  ['Content-Length and Transfer-Encoding', `${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['Transfer-Encoding and Content-Length', `${post}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`],
  ['two different sizes', `${post}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`],
  ['the same size twice', `${post}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello`],
  ['sizes in a list', `${post}Content-Length: 5, 5\r\n\r\nhello`],
  ['a size with a sign', `${post}Content-Length: +5\r\n\r\nhello`],
  ['a negative size', `${post}Content-Length: -5\r\n\r\nhello`],
  ['a size in hex', `${post}Content-Length: 0x5\r\n\r\nhello`],
  ['a size with a blank inside', `${post}Content-Length: 1 5\r\n\r\nhello`],
  ['an empty size', `${post}Content-Length:\r\n\r\n`],
  ['a size beyond any number', `${post}Content-Length: 99999999999999999999\r\n\r\n`],
  ['a blank before the colon', `${post}Content-Length : 5\r\n\r\nhello`],
  ['lines end in LF', 'GET / HTTP/1.1\nHost: h\n\n'],
  ['one line ends in LF', 'GET / HTTP/1.1\r\nHost: h\nA: b\r\n\r\n'],
  ['the last line ends in LF', 'GET / HTTP/1.1\r\nHost: h\r\n\n'],
  ['CR inside a value', `${get}A: b\rC: d\r\n\r\n`],
  ['CR CR LF', `${get}A: b\r\r\n\r\n`],
  ['LF in front', `\n${get}\r\n`, 'a line ends in CR LF'],
  ['a blank in front', ` ${get}\r\n`],
  ['ten empty lines in front', `${'\r\n'.repeat(10)}${get}\r\n`, 'four are enough'],
  ['a folded header', `${get}A: b\r\n c\r\n\r\n`],
  ['the first header folded', 'GET / HTTP/1.1\r\n Host: h\r\n\r\n'],
  ['NUL in a value', `${get}A: b\0c\r\n\r\n`],
  ['a control byte in a value', `${get}A: b\x01c\r\n\r\n`],
  ['DEL in a value', `${get}A: b\x7fc\r\n\r\n`],
  ['a header without a colon', `${get}nonsense\r\n\r\n`],
  ['a header without a name', `${get}: b\r\n\r\n`],
  ['a name with a blank', `${get}A B: c\r\n\r\n`],
  ['a name with brackets', `${get}A(b): c\r\n\r\n`],
  ['another coding', `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
  ['a coding before chunks', `${post}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, 'nobody here unpacks gzip'],
  ['chunks before a coding', `${post}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`],
  ['chunks twice', `${post}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`],
  ['chunks in two headers', `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['a vertical tab around the coding', `${post}Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n`],
  ['chunks in HTTP/1.0', `${old}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 'HTTP/1.0 has no chunks'],
  ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
  ['two Hosts', `${get}Host: i\r\n\r\n`, 'two hosts are one too many'],
  ['an empty Host', 'GET / HTTP/1.1\r\nHost:\r\n\r\n', 'it is checked against a list'],
  ['a Host with a path', 'GET / HTTP/1.1\r\nHost: h/evil\r\n\r\n', 'it is checked against a list'],
  ['a Host with a user', 'GET / HTTP/1.1\r\nHost: me@h\r\n\r\n', 'it is checked against a list'],
  ['another host in the target', `GET http://evil/ HTTP/1.1\r\n${host}\r\n`, 'two hosts are one too many'],
  ['a fragment', `GET /a#b HTTP/1.1\r\n${host}\r\n`, 'it never leaves a browser'],
  ['a control byte in the target', `GET /\x01 HTTP/1.1\r\n${host}\r\n`],
  ['a target beyond ASCII', `GET /\u00e9 HTTP/1.1\r\n${host}\r\n`],
  ['a blank in the target', `GET /a b HTTP/1.1\r\n${host}\r\n`],
  ['two blanks', `GET  / HTTP/1.1\r\n${host}\r\n`, 'there is one blank'],
  ['two blanks before the version', `GET /  HTTP/1.1\r\n${host}\r\n`, 'there is one blank'],
  ['a blank behind the version', `GET / HTTP/1.1 \r\n${host}\r\n`],
  ['a tab instead of a blank', `GET\t/ HTTP/1.1\r\n${host}\r\n`],
  ['no version', 'GET /\r\n\r\n', 'that is HTTP/0.9'],
  ['the version in small letters', `GET / http/1.1\r\n${host}\r\n`],
  ['a version to come', `GET / HTTP/1.2\r\n${host}\r\n`],
  ['HTTP/0.9', `GET / HTTP/0.9\r\n${host}\r\n`, 'it has no headers'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
  ['a method in small letters', `get / HTTP/1.1\r\n${host}\r\n`, null],
  ['a method that nobody knows', `BREW / HTTP/1.1\r\n${host}\r\n`, null],
  ['a header line of a megabyte', `${get}A: ${'x'.repeat(1000 * 1000)}\r\n\r\n`],
  ['another expectation', `${post}Expect: the-unexpected\r\nContent-Length: 5\r\n\r\nhello`],

  ['a chunk size that is none', `${chunked}x\r\n`],
  ['a negative chunk size', `${chunked}-1\r\n\r\n`],
  ['a chunk size as C writes it', `${chunked}0x5\r\nhello\r\n0\r\n\r\n`],
  ['a blank before a chunk size', `${chunked} 5\r\nhello\r\n0\r\n\r\n`],
  ['a blank behind a chunk size', `${chunked}5 \r\nhello\r\n0\r\n\r\n`],
  ['a chunk size beyond any number', `${chunked}10000000000000005\r\nhello\r\n0\r\n\r\n`],
  ['a chunk longer than it says', `${chunked}4\r\nhello\r\n0\r\n\r\n`],
  ['a chunk size that ends in LF', `${chunked}5\nhello\r\n0\r\n\r\n`],
  ['a chunk that ends in LF', `${chunked}5\r\nhello\n0\r\n\r\n`],
  ['a chunk that ends in CR', `${chunked}5\r\nhello\r0\r\n\r\n`],
  ['a control byte in an extension', `${chunked}5;a\x01\r\nhello\r\n0\r\n\r\n`],
  ['a trailer that is none', `${chunked}0\r\nnonsense\r\n\r\n`],
  ['a trailer that ends in LF', `${chunked}0\r\nA: b\n\r\n`]
]

// Every complete request is answered with 200 and the size of its body.
function serve () {
  const server = http.createServer({ keepAliveTimeout: 20 }, (request, response) => {
    let size = 0
    request.on('data', piece => { size += piece.length })
    request.on('end', () => response.setHeader('Body-Size', size).end())
    request.on('error', () => {})
  })
  server.on('clientError', (error, socket) => {
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400
    if (socket.writable) socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\n\r\n`)
  })
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server)))
}

// What Node answers until it closes, as our program writes it: we have said all that we had to.
function ask (port, bytes) {
  return new Promise(resolve => {
    let answer = ''
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const done = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer.split('HTTP/1.1 ').slice(1).map(one =>
        [one.slice(0, 3), ...(/^body-size: (\d+)/im.exec(one) ?? []).slice(1)].join(' ')))
    }
    const timer = setTimeout(done, 10000)
    socket.on('data', piece => { answer += piece.toString('latin1') })
    socket.on('end', done)
    socket.on('error', done)
    socket.end(Buffer.from(bytes, 'latin1'))
  })
}

function ours (bytes) {
  const run = spawnSync(parse, { input: Buffer.from(bytes, 'latin1') })
  if (run.status !== 0) throw new Error(`${parse}: ${run.stderr}`)
  return run.stdout.toString('latin1').split('\n').filter(line => line !== '')
}

// Nothing at all and something unfinished are refusals too.
const isRefused = lines => lines.length === 0 || !lines.every(line => line.startsWith('200'))

const server = await serve()
let failed = 0
let stricter = 0
for (const [name, bytes, why] of cases) {
  const mine = ours(bytes)
  const theirs = await ask(server.address().port, bytes)
  const [we, they] = [isRefused(mine), isRefused(theirs)]
  let verdict = 'same'
  if (they && !we) {
    verdict = why === null ? 'for the caller' : 'LAXER'
  } else if (we && !they) {
    verdict = typeof why === 'string' ? `stricter: ${why}` : 'STRICTER, unexplained'
  } else if (!we && mine.join() !== theirs.join()) {
    verdict = 'DIFFERENT BODIES'
  } else if (typeof why === 'string') {
    verdict = 'same, so there is nothing to explain' // Node has become stricter
  }
  failed += verdict.startsWith('LAXER') || verdict.startsWith('STRICTER') || verdict.startsWith('DIFFERENT')
  stricter += verdict.startsWith('stricter')
  const shown = lines => (lines.map(line => line.startsWith('200') ? line : line.slice(0, 4).trim()).join() || 'closed').padEnd(12)
  console.log(`${name.padEnd(40)} ${shown(mine)} ${shown(theirs)} ${verdict}`)
}
server.close()
console.log(`${cases.length} cases with Node ${process.version}: ${stricter} where we are stricter, ${failed} that should not be`)
process.exit(failed > 0 ? 1 : 0)
