// Signing in in the document, if the schema has an account type (docs/reference/rest.md, R80–R84).

import { type Account, hasAddresses, type Model } from '#model'
import { hasInvitations, withAliases } from '#model/names'
import { actingRoles } from '#plan'
import { exampleId, exampleTime } from '#plan/explain'
import { type NamedSchema, type OpenapiObject, type OpenapiProfile, schemaRef } from '../json-parts.ts'
import { jsonContent } from '../media.ts'
import { commonFailures, failureRefs, response } from '../responses.ts'
import { invitationPaths, invitationSchemas } from './invitation-paths.ts'

/** The methods that are no reads or writes of rows. */
export function signInPath({ account }: Model): Record<string, OpenapiObject> {
  return account === null ? {} : { '/tokens': { ...signIn(account.login.name), delete: endSessions } }
}

const flag = (name: string, description: string, value: boolean): OpenapiObject => ({
  ...{ name, in: 'query', description },
  schema: { type: 'boolean', enum: [value] },
  example: value,
})

const endSessions: OpenapiObject = {
  operationId: 'deleteTokens',
  tags: ['Token'],
  summary: 'End many sessions',
  description:
    'Ends the sessions of the account, within a second: all but that of this request (`current=false`), or every one (`all=true`). One of the two is required.',
  parameters: [
    flag('current', 'False: all sessions but that of this request.', false),
    flag('all', 'True: every session.', true),
    {
      ...{ name: 'account', in: 'query', description: 'The account, for the role admin. Default: that of the viewer.' },
      schema: { type: 'string', minLength: 1 },
    },
  ],
  responses: {
    200: response('The sessions that ended.', [], jsonContent(schemaRef('twain.bulk'), {})),
    ...failureRefs([400, 401, 403, 406, ...commonFailures]),
  },
}

export function codePath(model: Model): Record<string, OpenapiObject> {
  const { account } = model
  if (account === null || !hasAddresses(account)) return {}
  const { login, verification } = account
  return {
    '/codes': createCode(login.name),
    ...(verification === 'OFF' ? {} : { '/verifications': verifyAccount(account) }),
    ...(hasInvitations(model) ? invitationPaths(account) : {}),
  }
}

function verifyAccount({ login: { name: login }, resource, verification }: Account): OpenapiObject {
  const verified = { account: exampleId, verifiedAt: exampleTime }
  const signsUp = verification === 'REQUIRED'
  const proven = schemaRef('twain.verification')
  return {
    post: {
      operationId: 'verifyAccount',
      tags: ['Token'],
      summary: 'Prove an address',
      description:
        'Takes the code of a mail with the secret of `POST /codes`. If nobody had proven the address before, and the request has no token of the account, the account loses its password, sessions and identities.' +
        (signsUp ? ` With the secret of a sign-up, it creates the ${resource.name}.` : ''),
      security: [{}, { bearer: [] }],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: schemaRef('twain.verificationRequest'),
            examples: { verify: { value: { [login]: 'ann@example.com', code: '7K2MQ9XD', secret: 'pX2c…' } } },
          },
        },
      },
      responses: {
        201: response(
          signsUp
            ? `The account whose address is proven; of a sign-up, the created ${resource.name} as its create answers it.`
            : 'The account whose address is proven.',
          ['Cache-Control'],
          jsonContent(signsUp ? { anyOf: [proven, schemaRef(resource.name)] } : proven, {
            verified: { value: verified },
          }),
        ),
        ...failureRefs([400, 401, 406, ...(signsUp ? ([403, 409] as const) : []), 413, 415, ...commonFailures]),
      },
    },
  }
}

function createCode(login: string): OpenapiObject {
  const made = jsonContent(schemaRef('twain.code'), { code: { value: { secret: 'pX2c…', expiresAt: exampleTime } } })
  return {
    post: {
      operationId: 'createCode',
      tags: ['Token'],
      summary: 'Mail a code',
      description:
        'To reset a password (`RESET`) or to sign in without one (`SIGN_IN`): `POST /tokens` takes the code with the secret. To prove the address (`VERIFY`): `POST /verifications` takes it. The answer is the same whether or not the address has an account.',
      security: [{}],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: schemaRef('twain.codeRequest'),
            examples: { reset: { value: { for: 'RESET', [login]: 'ann@example.com' } } },
          },
        },
      },
      responses: {
        202: response('The secret that belongs to the code.', ['Cache-Control'], made),
        ...failureRefs([400, 406, 413, 415, ...commonFailures]),
      },
    },
  }
}

function signIn(login: string): OpenapiObject {
  const made = { oneOf: [schemaRef('twain.token'), schemaRef('twain.actingToken'), schemaRef('twain.ticket')] }
  const example = { id: exampleId, token: 'eyJhbGciOi…', refreshToken: 'rt_…', expiresAt: exampleTime }
  const credentials: OpenapiObject = {
    description: 'Sign in with the login and the password.',
    value: { [login]: 'ann@example.com', password: 'correct horse' },
  }
  const renew: OpenapiObject = {
    description: 'Refresh: returns a new token and a new refresh token.',
    value: { refreshToken: 'rt_…' },
  }
  const byProvider: OpenapiObject = {
    description: 'Sign in with the code of a provider (`GET /sign-in/{provider}`).',
    value: { code: 'Zk3v…', verifier: 'b8Jx…' },
  }
  const actingRequest: OpenapiObject = {
    description:
      'Act as an account for 15 minutes, to read, if a rule allows it. With a `reason` the session may write.',
    value: { as: exampleId },
  }
  const ticketRequest: OpenapiObject = {
    description: 'A ticket for one stream, for clients that can not send headers.',
    value: { for: 'stream' },
  }
  const ticket = { ticket: 'UqYl3v…', expiresAt: exampleTime }
  const acting = { id: exampleId, token: 'eyJhbGciOi…', expiresAt: exampleTime, readOnly: true }
  return {
    post: {
      operationId: 'createToken',
      tags: ['Token'],
      summary: 'Sign in, refresh, act as somebody, or get a ticket',
      description:
        'Send the token as `authorization: Bearer <token>`. An unknown login and a wrong password are the same 401. A signed-in viewer can get a ticket for `?ticket=` of an event stream, which browsers open without headers. Whom a rule allows `ACT_AS` can act as an account or a role.',
      security: [{}, { bearer: [] }],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: schemaRef('twain.signIn'),
            examples: {
              signIn: credentials,
              provider: byProvider,
              renew,
              acting: actingRequest,
              ticket: ticketRequest,
            },
          },
        },
      },
      responses: {
        201: response(
          'The token, or the ticket.',
          ['Location', 'Cache-Control'],
          jsonContent(made, { token: { value: example }, acting: { value: acting }, ticket: { value: ticket } }),
        ),
        ...failureRefs([400, 401, 403, 404, 406, 409, 413, 415, ...commonFailures]),
      },
    },
  }
}

export function signInSchemas(model: Model, profile: OpenapiProfile): NamedSchema[] {
  const { account } = model
  if (account === null) return []
  const text = { type: 'string' }
  const time = { type: 'string', format: 'date-time' }
  const object = (properties: OpenapiObject, more: OpenapiObject = {}): OpenapiObject => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    ...more,
  })
  const closed = { additionalProperties: false }
  const login = { type: 'string', minLength: 1, maxLength: 4096 }
  const password = { type: 'string', format: 'password', minLength: 8, maxLength: 256 }
  const hasCodes = hasAddresses(account)
  const withCode = { [account.login.name]: login, code: login, secret: login }
  const verifies = account.verification !== 'OFF'
  const purposes = ['RESET', 'SIGN_IN', ...(verifies ? ['VERIFY'] : [])]
  const verificationSchemas: NamedSchema[] = [
    ['twain.verificationRequest', object(withCode, closed)],
    ['twain.verification', object({ account: text, verifiedAt: time })],
  ]
  const id = { type: 'string', minLength: 1 }
  const role = { type: 'string', enum: [...actingRoles(model)] }
  const as = { oneOf: [id, object({ account: id }, closed), object({ role }, closed)] }
  const reason = { type: 'string', minLength: 1, maxLength: 500, pattern: '\\S' }
  const actingInputs: OpenapiObject[] = [
    { ...object({ as, readOnly: { type: 'boolean', enum: [true] } }, closed), required: ['as'] },
    { ...object({ as, reason, readOnly: { type: 'boolean' } }, closed), required: ['as', 'reason'] },
  ]
  const codeRequest = (): OpenapiObject => {
    const members = { for: { type: 'string', enum: purposes }, [account.login.name]: login }
    const secret = { ...login, description: 'Of a sign-up that waits: its code is mailed again.' }
    const optional = { ...(account.verification === 'REQUIRED' && { secret }), captcha: login }
    return { type: 'object', properties: { ...members, ...optional }, required: Object.keys(members), ...closed }
  }
  const codeSchemas = (): NamedSchema[] => [
    ['twain.codeRequest', codeRequest()],
    ['twain.code', object({ secret: text, expiresAt: time })],
    ...(verifies ? verificationSchemas : []),
  ]
  return [
    [
      'twain.signIn',
      {
        oneOf: [
          ...withAliases([account.login]).map(({ name }) => ({
            ...object({ [name]: login, password, device: login, captcha: login }, closed),
            required: [name, 'password'],
          })),
          ...(hasCodes
            ? [
                {
                  type: 'object',
                  properties: { ...withCode, password },
                  required: Object.keys(withCode),
                  ...closed,
                },
              ]
            : []),
          {
            type: 'object',
            properties: { code: login, verifier: login, input: { type: ['object', 'null'] } },
            required: ['code', 'verifier'],
            ...closed,
          },
          object({ refreshToken: login }, closed),
          // Their answers have other shapes.
          ...(profile === 'full'
            ? [...actingInputs, object({ for: { type: 'string', const: 'stream' } }, closed)]
            : []),
        ],
      },
    ],
    [
      'twain.token',
      {
        ...object({ id: text, token: text, refreshToken: text, expiresAt: time, device: text }),
        required: ['id', 'token', 'refreshToken', 'expiresAt'],
      },
    ],
    ['twain.actingToken', object({ id: text, token: text, expiresAt: time, readOnly: { type: 'boolean' } })],
    ['twain.ticket', object({ ticket: text, expiresAt: time })],
    ...(hasCodes ? codeSchemas() : []),
    ...(hasInvitations(model) ? invitationSchemas(model) : []),
  ]
}
