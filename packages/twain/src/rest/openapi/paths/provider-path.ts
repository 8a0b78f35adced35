// Sign-in with a provider in the document, and the link of an identity (docs/reference/rest.md, R240–R248).

import type { Model } from '#model'
import { exampleId, exampleTime } from '#plan/explain'
import { type NamedSchema, type OpenapiObject, schemaRef } from '../json-parts.ts'
import { jsonContent } from '../media.ts'
import { parameterRef } from '../parameters.ts'
import { commonFailures, failureRefs, response } from '../responses.ts'

const verifierText = 'Zk3vU0qkM4Xx3sWc1nQb7yTt5oRr9pLl2aAe6dDgHhI'

export function providerPath({ account }: Model): Record<string, OpenapiObject> {
  if (account === null) return {}
  const text = { type: 'string' }
  return {
    '/sign-in/{provider}': {
      get: {
        operationId: 'beginSignIn',
        tags: ['Token'],
        summary: 'Sign in with a provider',
        description:
          'For a browser: sends it to the provider. It comes back to the address `to` with `code`, which `POST /tokens` takes together with the verifier, within a minute; or with `error`.',
        security: [{}],
        parameters: [
          {
            name: 'provider',
            in: 'path',
            required: true,
            description: 'Its name in the setting `auth.providers`.',
            schema: text,
            example: 'google',
          },
          {
            name: 'to',
            in: 'query',
            required: true,
            description: 'Exactly one of the addresses in the setting `auth.returnTo`.',
            schema: { type: 'string', format: 'uri' },
            example: 'https://app.example.com/signed-in',
          },
          {
            name: 'challenge',
            in: 'query',
            required: true,
            description: 'The SHA-256 hash of the verifier in base64url (RFC 7636, S256).',
            schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
            example: verifierText,
          },
        ],
        responses: {
          303: response('The address at the provider.', ['Location', 'Cache-Control']),
          ...failureRefs([400, 401, 404, ...commonFailures]),
        },
      },
    },
  }
}

/** The method of `/identities` that is no read or write of rows. */
export function identityPath({ account }: Model): Record<string, OpenapiObject> {
  if (account === null) return {}
  const made = {
    id: exampleId,
    account: exampleId,
    provider: 'google',
    issuer: 'https://accounts.google.com',
    subject: '110169484474386276334',
    createdAt: exampleTime,
    lastUsedAt: exampleTime,
  }
  return {
    '/identities': {
      post: {
        operationId: 'createIdentity',
        tags: ['Identity'],
        summary: 'Link an identity',
        description:
          'Attaches an identity at a provider to your account, as another way to sign in. Later than five minutes after a sign-in it needs `currentPassword`.',
        security: [{ bearer: [] }],
        parameters: [parameterRef('Idempotency-Key')],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: schemaRef('twain.identityRequest'),
              examples: { link: { value: { code: 'Zk3v…', verifier: verifierText } } },
            },
          },
        },
        responses: {
          201: response(
            'The identity.',
            ['Location', 'Cache-Control', 'Idempotent-Replayed'],
            jsonContent(schemaRef('twain.linkedIdentity'), { identity: { value: made } }),
          ),
          ...failureRefs([400, 401, 403, 406, 409, 413, 415, 422, ...commonFailures]),
        },
      },
    },
  }
}

export function identitySchemas({ account }: Model): NamedSchema[] {
  if (account === null) return []
  const text = { type: 'string' }
  const time = { type: 'string', format: 'date-time' }
  const sent = { type: 'string', minLength: 1, maxLength: 4096 }
  const members = {
    id: text,
    account: text,
    provider: text,
    issuer: text,
    subject: text,
    createdAt: time,
    lastUsedAt: time,
  }
  return [
    [
      'twain.identityRequest',
      {
        type: 'object',
        properties: { code: sent, verifier: sent, currentPassword: sent },
        required: ['code', 'verifier'],
        additionalProperties: false,
      },
    ],
    ['twain.linkedIdentity', { type: 'object', properties: members, required: Object.keys(members) }],
  ]
}
