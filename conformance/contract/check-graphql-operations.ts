// Checks every GraphQL operation of the contract: introspection has it with the same arguments and result, it answers, and it refuses a
// request without one of its required arguments or members. Returns what is false.

import {
  buildClientSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
  print,
} from 'graphql'
import type { ContractService } from './contract-service.ts'

type Field = GraphQLField<unknown, unknown>

export async function checkGraphqlOperations(service: ContractService): Promise<string[]> {
  const query = getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true })
  const { body } = await service.send('POST', '/graphql', { viewer: 'operator', body: { query } })
  const schema = buildClientSchema(body.data)
  const wrong = compareSignatures(service, schema)
  for (const [kind, field] of operationsOf(schema)) {
    if (kind === 'subscription') wrong.push(...(await checkSubscription(service, field)))
    // An upload is a multipart request: conformance/files/uploads.test.ts.
    else if (field.name !== 'uploadFile') wrong.push(...(await checkOperation(service, kind, field)))
  }
  return [...wrong, ...(await checkRequiredFields(service, schema))]
}

type OperationKind = 'query' | 'mutation' | 'subscription'

function operationsOf(schema: GraphQLSchema): [OperationKind, Field][] {
  const roots = {
    query: schema.getQueryType(),
    mutation: schema.getMutationType(),
    subscription: schema.getSubscriptionType(),
  }
  return Object.entries(roots).flatMap(([kind, type]) =>
    Object.values(type?.getFields() ?? {}).map((field): [OperationKind, Field] => [kind as OperationKind, field]),
  )
}

function compareSignatures({ contract }: ContractService, schema: GraphQLSchema): string[] {
  const served = operationsOf(schema).map(([, { name, args, type }]) => {
    const printed = args.map((arg) => {
      const { literal } = arg.default ?? {}
      const fallback = literal === undefined ? '' : ` = ${print(literal)}`
      return `${arg.name}: ${arg.type}${fallback}`
    })
    return `${name}${printed.length === 0 ? '' : `(${printed.join(', ')})`}: ${type}`
  })
  return [
    ...contract.operations.filter((one) => !served.includes(one)).map((one) => `the server does not have ${one}`),
    ...served.filter((one) => !contract.operations.includes(one)).map((one) => `the contract lacks ${one}`),
  ]
}

/** With its required arguments the operation answers, though it may refuse them; without one of them it is not valid. */
async function checkOperation(service: ContractService, kind: OperationKind, field: Field): Promise<string[]> {
  const required = field.args.filter(isRequiredArgument)
  const wrong: string[] = []
  const whole = await codesOf(service, `${kind} ${selection(field, required)}`)
  if (whole.some((code) => code.startsWith('GRAPHQL_') || code === 'INTERNAL')) wrong.push(`${field.name}: ${whole}`)
  for (const left of required) {
    const others = required.filter((arg) => arg !== left)
    const codes = await codesOf(service, `${kind} ${selection(field, others)}`)
    if (!codes.includes('GRAPHQL_VALIDATION_FAILED')) wrong.push(`${field.name} without ${left.name}: ${codes}`)
  }
  return wrong
}

async function codesOf({ send }: ContractService, query: string): Promise<string[]> {
  const { body } = await send('POST', '/graphql', { body: { query } })
  const errors: { extensions: { code: string } }[] = body.errors ?? []
  return errors.map(({ extensions }) => extensions.code)
}

async function checkSubscription({ address, viewers }: ContractService, field: Field): Promise<string[]> {
  const end = new AbortController()
  const reply = await fetch(`${address}/graphql`, {
    method: 'POST',
    signal: end.signal,
    headers: {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      authorization: `Bearer ${viewers.get('operator')}`,
    },
    body: JSON.stringify({ query: `subscription ${selection(field, field.args.filter(isRequiredArgument))}` }),
  })
  end.abort()
  const type = reply.headers.get('content-type')?.split(';')[0]
  return reply.status === 200 && type === 'text/event-stream' ? [] : [`${field.name}: ${reply.status} ${type}`]
}

/** The fields that the table of a type calls required are those that the input of its create requires. */
async function checkRequiredFields(service: ContractService, schema: GraphQLSchema): Promise<string[]> {
  const wrong: string[] = []
  for (const [, field] of operationsOf(schema)) {
    const [, type = ''] = /^create(\w+)$/.exec(field.name) ?? []
    const input = schema.getType(`Create${type}Input`)
    const printed = service.contract.fieldsOf(type)
    if (!isInputObjectType(input) || !field.args.some(({ name }) => name === 'input') || printed.length === 0) continue
    const members = Object.values(input.getFields())
    const needed = printed.filter(({ presence }) => presence === 'required').map(({ name }) => name)
    const more = members
      .filter(isRequiredInputField)
      .filter(({ name }) => !needed.includes(name) && name !== 'password')
    wrong.push(...more.map(({ name }) => `${field.name} requires ${name}, which is not marked`))
    for (const name of needed) {
      const given = members.filter((one) => one.name !== name && (needed.includes(one.name) || one.name === 'password'))
      const query = `mutation { ${field.name}(input: ${objectOf(given)}) { id } }`
      const reply = await service.send('POST', '/graphql', { viewer: 'operator', body: { query } })
      const isRefused = (reply.body.errors ?? []).some(
        ({ message, extensions }: { message: string; extensions: { errors?: { path: string; code: string }[] } }) =>
          message.includes(`required field "${name}"`) ||
          extensions.errors?.some((one) => one.path === name && one.code === 'REQUIRED'),
      )
      if (!isRefused) wrong.push(`${field.name} without ${name}: ${reply.text}`)
    }
  }
  return wrong
}

function selection({ name, type }: Field, args: readonly GraphQLArgument[]): string {
  const given = args.map((arg) => `${arg.name}: ${literalOf(arg.type)}`).join(', ')
  const below = isCompositeType(getNamedType(type)) ? ' { __typename }' : ''
  return `{ ${name}${given === '' ? '' : `(${given})`}${below} }`
}

const scalars: Record<string, string> = { Int: '1', Float: '1', Boolean: 'true', JSON: '{}' }

/** A literal that the type accepts, with required members only. */
function literalOf(type: GraphQLInputType): string {
  if (isNonNullType(type)) return literalOf(type.ofType)
  if (isListType(type)) return `[${literalOf(type.ofType)}]`
  if (isEnumType(type)) return type.getValues()[0]!.name
  if (!isInputObjectType(type)) return scalars[type.name] ?? '"x"'
  const members = Object.values(type.getFields())
  return objectOf(type.isOneOf ? members.slice(0, 1) : members.filter(isRequiredInputField))
}

function objectOf(members: readonly GraphQLInputField[]): string {
  return `{ ${members.map((one) => `${one.name}: ${literalOf(one.type)}`).join(', ')} }`
}
