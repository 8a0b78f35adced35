// The GraphQL operations that do the same as requests about the service itself: its schema, its rules, its load, its mails, invitations and the
// messages of webhooks.

import { model } from '../api/model.ts'
import { argumentList, declarations, type GraphqlTwin, type UsedArgument } from './twin-document.ts'

const place = 'file line'
const mistakes = `mistakes { ${place} column message hint }`
const figures = 'requests errors refused p50 p95 p99'

/** Of a path that is read: the field, the types of its arguments, and what is selected. */
const reads: Readonly<Record<string, readonly [field: string, args: Readonly<Record<string, string>>, body: string]>> =
  {
    '/docs/schema': [
      'servedSchema',
      {},
      `types { name kind path description memberOf hooks ${place} }
    fields { of name kind type to inverse unique description deprecated start ${place} }
    rules { of field rule ${place} }
    transitions { of field from to who rule ${place} }
    dependencies { of field by what ${place} }`,
    ],
    '/docs/schema/files': [
      'servedSchema',
      {},
      `watched files { name text } pending { reason files { name text } ${mistakes} }`,
    ],
    '/docs/contract': ['servedSchema', {}, 'files { name text } since uses { path client requested returned }'],
    '/docs/access': [
      'accessMatrix',
      { type: 'String', as: 'String', action: 'String' },
      'viewers entries { type field action from to viewer allowed when rules { rule place decides } }',
    ],
    '/metrics/nodes': ['serviceNodes', {}, 'node answers startedAt seenAt memoryBytes requests errors'],
    '/metrics/load': [
      'serviceLoad',
      { minutes: 'Int!', of: 'String' },
      `node startedAt memoryBytes points { time seconds ${figures} } routes { id ${figures} }
    operations { id ${figures} } caches { name entries bytes hits misses }`,
    ],
    '/metrics/slow-queries': ['serviceSlowQueries', {}, 'node shape sql hint count maxMs lastAt plan'],
    '/metrics/log': [
      'serviceLog',
      { level: 'String!', words: 'String', after: 'String' },
      'node entries { time level message fields } endCursor missed',
    ],
    '/mails': ['mails', {}, 'to subject text createdAt'],
    '/invitations': ['invitations', {}, 'id createdAt expiresAt'],
  }

/** Null: the path is another one. */
export function serviceTwin(
  method: string,
  path: string,
  parameters: URLSearchParams,
  input: unknown,
): GraphqlTwin | null {
  if (method === 'GET' && reads[path] !== undefined) {
    const [field, args, body] = reads[path]
    const given = Object.entries(args).filter(([name]) => parameters.has(name))
    const values = given.map(([name, declared]) => {
      const text = parameters.get(name)!
      return [name, declared, declared === 'Int!' ? Number(text) : text] as const
    })
    return twin('query', field, values, body)
  }
  if (path === '/docs/schema/changes') {
    const { text, file } = input as { text: string; file?: string }
    const body = `verdict differences { verdict path message affects instead rows used }\n    ${mistakes}`
    return twin(
      'query',
      'schemaChanges',
      [['text', 'String!', text], ...(file ? [['file', 'String', file] as const] : [])],
      body,
    )
  }
  const account = model.value!.signIn?.type
  if (path === '/invitations')
    return twin('mutation', 'createInvitation', [['input', `Create${account}Input!`, input]], 'id expiresAt')
  const [, invitation, mails] = /^\/invitations\/([^/]+)(\/mails)?$/.exec(path) ?? []
  if (invitation !== undefined)
    return mails === undefined
      ? twin('mutation', 'deleteInvitation', [['id', 'ID!', invitation]], 'success message')
      : twin('mutation', 'resendInvitation', [['id', 'ID!', invitation]], 'id expiresAt')
  const [, delivery] = /^\/webhook-deliveries\/([^/]+)\/message$/.exec(path) ?? []
  if (delivery === undefined) return null
  return twin(
    'query',
    'webhookMessage',
    [['delivery', 'ID!', delivery]],
    'method url headers { name value } body leftOut because',
  )
}

function twin(kind: string, field: string, used: readonly UsedArgument[], body: string): GraphqlTwin {
  return {
    query: `${kind}${declarations(used)} {\n  ${field}${argumentList(used)} {\n    ${body}\n  }\n}`,
    variables: Object.fromEntries(used.map(([name, , value]) => [name, value])),
  }
}
