// Invitations in the document (docs/reference/rest.md, R275–R278).

import type { Account, Model } from '#model'
import { exampleId, exampleTime } from '#plan/explain'
import { type NamedSchema, type OpenapiObject, schemaRef } from '../json-parts.ts'
import { jsonContent } from '../media.ts'
import { commonFailures, failureRefs, response } from '../responses.ts'
import { invitationInput } from '../schemas/input-schemas.ts'

const schemaName = 'twain.invitation'
const inputName = 'twain.invitationInput'
const security = [{ bearer: [] }]

export function invitationPaths({ resource, login }: Account): Record<string, OpenapiObject> {
  const invitation = { id: exampleId, [login.name]: 'ann@example.com', createdAt: exampleTime, expiresAt: exampleTime }
  return {
    '/invitations': {
      get: {
        operationId: 'listInvitations',
        tags: ['Token'],
        summary: 'List the invitations that wait',
        description: 'Those of the viewer, the newest first. For the role admin: those of everybody.',
        security,
        responses: {
          200: response(
            'The invitations.',
            ['Cache-Control'],
            jsonContent({ type: 'array', items: schemaRef(schemaName) }, { invitations: { value: [invitation] } }),
          ),
          ...failureRefs([400, 401, 406, ...commonFailures]),
        },
      },
      post: {
        operationId: 'createInvitation',
        tags: ['Token'],
        summary: `Invite somebody to a ${resource.name}`,
        description: `Takes the fields of a ${resource.name}, without a password. A mail brings a link to a page that sets the password, and makes the ${resource.name} with the rights that the viewer has then. The answer is the same whether or not the address has an account.`,
        security,
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: schemaRef(inputName),
            },
          },
        },
        responses: {
          201: response(
            'The invitation.',
            ['Location', 'Cache-Control'],
            jsonContent(schemaRef(schemaName), { invitation: { value: invitation } }),
          ),
          ...failureRefs([400, 401, 403, 406, 409, 413, 415, ...commonFailures]),
        },
      },
    },
    '/invitations/{id}/mails': {
      post: {
        operationId: 'resendInvitation',
        tags: ['Token'],
        summary: 'Send an invitation again',
        description: 'With a new link, for seven days. The former link ends.',
        security,
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: {
          200: response(
            'The invitation.',
            ['Cache-Control'],
            jsonContent(schemaRef(schemaName), { invitation: { value: invitation } }),
          ),
          ...failureRefs([400, 401, 403, 404, 406, 413, 415, ...commonFailures]),
        },
      },
    },
    '/invitations/{id}': {
      delete: {
        operationId: 'deleteInvitation',
        tags: ['Token'],
        summary: 'Withdraw an invitation',
        description: 'Its link ends. One of the viewer; for the role admin: one of anybody.',
        security,
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: {
          204: response('It is withdrawn.', ['Cache-Control']),
          ...failureRefs([400, 401, 404, ...commonFailures]),
        },
      },
    },
  }
}

export function invitationSchemas(model: Model): NamedSchema[] {
  const { login } = model.account!
  const time = { type: 'string', format: 'date-time' }
  const properties = { id: { type: 'string' }, [login.name]: { type: 'string' }, createdAt: time, expiresAt: time }
  return [
    [schemaName, { type: 'object', properties, required: Object.keys(properties) }],
    [inputName, invitationInput(model)],
  ]
}
