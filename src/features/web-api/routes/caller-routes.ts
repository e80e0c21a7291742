import { formatInstant } from '../../../core/value-types.js'
import type { FeatureContext } from '../../../http/open-feature.js'
import { contentOf, headerRef, type Schema, schemaRef } from '../../../http/openapi/specification-types.js'
import { closedObject, listOf } from '../../../http/openapi/value-schemas.js'
import { sendJson } from '../../../http/response/send-body.js'
import { routesWith } from '../../../http/route-declaration/route.js'
import type { WebApi } from '../open-web-api.js'

const route = routesWith<FeatureContext<WebApi>>()

const headers = { 'Cache-Control': headerRef('CacheControl') }
const names = (description: string): Schema => listOf({ type: 'string' }, { description })

/** Who the caller is. */
const whoami = route({
  method: 'get',
  path: '/api/whoami',
  tags: ['Applications'],
  operationId: 'whoami',
  summary: 'Read who you are to this server',
  description:
    'The name, groups and roles of the caller as the token of the request gives them, and until when the token is ' +
    'valid. Without a token the caller is `anonymousUser`; a server that asks for no tokens calls everybody `SELF`. An ' +
    'application tries a token with it: one that is not valid is 401.',
  access: 'readable-records',
  parameters: {},
  schemas: {
    Caller: closedObject(
      {
        name: { type: 'string', description: 'The name by which access lists know the caller.' },
        displayName: { type: 'string', description: 'The name for people, with which commits are made.' },
        groups: names('The groups of the caller, which access lists may name too.'),
        roles: names('The roles of the token.'),
        administrator: { type: 'boolean', description: 'Whether the caller may do everything.' },
        creates: { type: 'boolean', description: 'Whether the caller may create records.' },
        until: { ...schemaRef('Instant'), description: 'The end of the token. Absent: it has none.' },
      },
      ['name', 'displayName', 'groups', 'roles', 'administrator', 'creates'],
    ),
  },
  responses: {
    200: {
      description: 'The caller.',
      headers,
      content: contentOf(['application/json'], schemaRef('Caller'), {
        one: {
          name: 'jane',
          displayName: 'Jane Doe',
          groups: ['microscopy'],
          roles: ['ROLE_USER'],
          administrator: false,
          creates: true,
          until: '2026-03-14T10:26:53Z',
        },
      }),
    },
  },
  handle(ctx, { callerOf }) {
    const { sid, name, groups, roles = [], administrator, anonymous, lacks, validUntil } = callerOf(ctx)
    ctx.set('Cache-Control', 'no-store')
    const caller = {
      name: sid,
      displayName: name,
      groups,
      roles,
      administrator,
      creates: !anonymous && lacks === undefined,
      ...(validUntil !== undefined && { until: formatInstant(validUntil) }),
    }
    sendJson(ctx, caller, 'application/json')
  },
})

/** How one logs in. */
const login = route({
  method: 'get',
  path: '/api/login',
  tags: ['Applications'],
  operationId: 'login',
  summary: 'Read how one logs in',
  description:
    'What an application needs to get a token: from an OpenID Connect issuer by the code flow with PKCE, if there is a ' +
    '`clientId` (option `--oidc-client-id`), or from a person who pastes one. Nothing in it is secret.',
  access: 'none',
  parameters: {},
  schemas: {
    Login: closedObject(
      {
        tokens: { type: 'boolean', description: 'Whether changes need a token. False: everybody is `SELF`.' },
        paste: { type: 'boolean', description: 'Whether a token may be pasted.' },
        issuer: { type: 'string', format: 'uri', description: 'The OpenID Connect issuer.' },
        clientId: { type: 'string', description: 'The id of applications at the issuer.' },
        scopes: names('The scopes to ask the issuer for.'),
      },
      ['tokens', 'paste'],
    ),
  },
  responses: {
    200: {
      description: 'The ways to log in.',
      headers,
      content: contentOf(['application/json'], schemaRef('Login'), {
        one: {
          tokens: true,
          paste: true,
          issuer: 'https://login.example.org/realms/lab',
          clientId: 'metastore-web',
          scopes: ['openid', 'profile', 'email'],
        },
      }),
    },
  },
  handle(ctx, { feature }) {
    ctx.set('Cache-Control', 'no-cache')
    sendJson(ctx, feature.login, 'application/json')
  },
})

export const callerRoutes = [whoami, login]
