// authority.mjs - a real authorization server (oidc-provider) and a real MCP server behind it (the TypeScript SDK, which
// asks for its tokens), both in this process. People who log in there are let in whatever they type.
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import Provider from 'oidc-provider';

const listen = (app) => new Promise((resolve) => {
  const server = app.listen(0, '127.0.0.1', () => resolve(server));
});
const urlOf = (server) => `http://127.0.0.1:${server.address().port}`;

// What a person types into the pages of oidc-provider: a name, and that it is all right.
export function agree(html) {
  const action = /<form[^>]* action="([^"]+)"/.exec(html)?.[1];
  const prompt = /name="prompt" value="([^"]+)"/.exec(html)?.[1];
  return action === undefined ? undefined
    : { action, fields: { prompt, ...prompt === 'login' && { login: 'someone', password: 'anything' } } };
}

export async function startAuthority({ lifetime = 3600, scopes = ['notes:read', 'notes:write'] } = {}) {
  const heard = []; // every request to the authorization server, as "POST /token"
  const front = express();
  const server = await listen(front);
  const issuer = urlOf(server);
  const resources = new Map(); // its scopes, by its address
  const provider = new Provider(issuer, {
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    cookies: { keys: ['peers'] },
    features: {
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (context, resource) => {
          if (!resources.has(resource)) {
            throw new Error(`no such resource: ${resource}`);
          }
          return { scope: scopes.join(' '), audience: resource, accessTokenTTL: lifetime, accessTokenFormat: 'opaque' };
        },
        useGrantedResource: () => true,
      },
      revocation: { enabled: true },
    },
    issueRefreshToken: (context, client, code) => client.grantTypeAllowed('refresh_token') && code.scopes.has('offline_access'),
    rotateRefreshToken: true, // and one that is used twice ends the whole login
    pkce: { required: () => true },
    scopes: ['openid', 'offline_access'],
  });
  front.use((request, response, next) => {
    heard.push(`${request.method} ${request.path}`);
    next();
  });
  front.use(provider.callback());
  return { issuer, provider, resources, heard, close: () => { server.close(); server.closeAllConnections(); } };
}

// An MCP server whose tools `read` and `write` tell with which token they were reached.
export async function startNotes(authority) {
  const app = express();
  const server = await listen(app);
  const url = `${urlOf(server)}/mcp`;
  const metadata = `${urlOf(server)}/.well-known/oauth-protected-resource/mcp`;
  const tokens = []; // that were shown, in order
  const everything = []; // all that came, as text
  authority.resources.set(url, true);
  const verifier = {
    async verifyAccessToken(value) {
      const token = await authority.provider.AccessToken.find(value);
      if (token === undefined || !token.isValid || token.aud !== url) {
        throw new InvalidTokenError('not one of ours');
      }
      return { token: value, clientId: token.clientId, scopes: token.scope.split(' '), expiresAt: token.exp };
    },
  };
  app.use(express.json());
  app.use((request, response, next) => {
    everything.push(JSON.stringify([request.rawHeaders, request.body]));
    if (request.headers.authorization !== undefined) {
      tokens.push(request.headers.authorization.replace('Bearer ', ''));
    }
    next();
  });
  app.get('/.well-known/oauth-protected-resource/mcp', (request, response) => response.json(
    { resource: url, authorization_servers: [authority.issuer], scopes_supported: ['notes:read', 'notes:write'] },
  ));
  app.use('/mcp', requireBearerAuth({ verifier, requiredScopes: ['notes:read'], resourceMetadataUrl: metadata }));
  // More rights for one tool than for the others.
  app.use('/mcp', (request, response, next) => {
    if (request.body?.params?.name === 'write' && !request.auth.scopes.includes('notes:write')) {
      response.status(403).set('WWW-Authenticate',
        `Bearer error="insufficient_scope", scope="notes:write", resource_metadata="${metadata}"`).end();
    } else {
      next();
    }
  });
  app.all('/mcp', async (request, response) => {
    const mcp = new McpServer({ name: 'notes', version: '1' });
    for (const name of ['read', 'write']) {
      mcp.registerTool(name, { description: `${name} notes` }, async () => ({ content: [{ type: 'text', text: `${name} by ${request.auth.clientId}` }] }));
    }
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    response.on('close', () => { transport.close(); mcp.close(); });
    await mcp.connect(transport);
    await transport.handleRequest(request, response, request.body);
  });
  return { url, tokens, everything, close: () => server.close() };
}
