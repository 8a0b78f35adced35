// The paths of custom operations (docs/reference/rest.md, R118, R119, R203).

import type { Argument, CustomOperation, CustomResultType, Model } from '#model'
import { isForAll, isUnrestricted } from '#plan'
import { valueTypeIn } from '#plan/build'
import { exampleValue } from '#plan/explain'
import { documentTypes } from '../../request/body.ts'
import { nullable, type OpenapiObject, type OpenapiValue } from '../json-parts.ts'
import { contentOf, jsonContent, rowContent, rowList, rowTypes } from '../media.ts'
import { parameterRef, ticketParameter } from '../parameters.ts'
import { commonFailures, failureRefs, response } from '../responses.ts'
import { rowResult } from '../schemas/row-schemas.ts'
import { describeField, storedSchema } from '../schemas/stored-schema.ts'

/** No type can have this name: it has a space. */
export const customTag = { name: 'Custom operations', description: 'Operations that custom code implements.' }

export function customOperationPaths(model: Model): OpenapiObject {
  return Object.fromEntries(model.operations.map((operation) => [`/${operation.path}`, pathItem(operation, model)]))
}

function pathItem(operation: CustomOperation, model: Model): OpenapiObject {
  switch (operation.root) {
    case 'Query':
      return { get: { ...common(operation, model), ...queryOperation(operation) } }
    case 'Mutation':
      return { post: { ...common(operation, model), ...mutationOperation(operation) } }
    case 'Subscription':
      return { get: { ...common(operation, model), ...subscriptionOperation(operation, model) } }
  }
}

/** `x-itemSchema` is `itemSchema` of OpenAPI 3.2. */
function subscriptionOperation(operation: CustomOperation, { account }: Model): OpenapiObject {
  const description =
    'Server-Sent Events: the `data` of each is a value as JSON. `complete`: there are no more. `problem`: a value that could not be sent. `end`: the stream failed, with a code and a detail.'
  const schema = { type: 'string', description, 'x-itemSchema': resultSchema(operation) }
  return {
    parameters: [
      ...operation.args.map(parameterOf),
      ...fieldsOf(operation),
      ...(account === null ? [] : [ticketParameter]),
    ],
    responses: {
      200: response('The events, until the code ends or the token.', ['Cache-Control', 'Vary'], {
        'text/event-stream': { schema },
      }),
      ...failureRefs([400, 401, 403, 404, 406, 409, ...commonFailures]),
    },
  }
}

function queryOperation(operation: CustomOperation): OpenapiObject {
  return {
    parameters: [...operation.args.map(parameterOf), ...fieldsOf(operation)],
    responses: {
      200: response(
        'The result.',
        ['ETag', 'Cache-Control', 'Vary', 'X-Failed-Fields'],
        contentOf(rowTypes, resultSchema(operation)),
      ),
      304: response('The client has the current representation.', ['ETag', 'Cache-Control', 'Vary']),
      ...failureRefs([400, 401, 403, 404, 406, 409, ...commonFailures]),
    },
  }
}

function mutationOperation(operation: CustomOperation): OpenapiObject {
  const { args } = operation
  const needed = args.filter((arg) => arg.required && arg.default === undefined).map(({ name }): OpenapiValue => name)
  const schema: OpenapiObject = {
    type: 'object',
    properties: Object.fromEntries(args.map((arg) => [arg.name, argumentSchema(arg)])),
    required: needed.length === 0 ? undefined : needed,
    additionalProperties: false,
  }
  const parameters = [...fieldsOf(operation), parameterRef('Idempotency-Key')]
  return {
    parameters,
    requestBody: {
      required: true,
      content: contentOf(documentTypes, { ...schema, xml: { name: operation.name } }, exampleCall(args)),
    },
    responses: {
      200: response(
        'The result.',
        ['Cache-Control', 'X-Failed-Fields', 'Idempotent-Replayed'],
        contentOf(rowTypes, resultSchema(operation)),
      ),
      ...failureRefs([400, 401, 403, 404, 406, 409, 410, 413, 415, 422, ...commonFailures]),
    },
  }
}

function common(operation: CustomOperation, model: Model): OpenapiObject {
  const { root, name, description, deprecated } = operation
  return {
    operationId: `${root.toLowerCase()}.${name}`,
    tags: [customTag.name],
    summary: name,
    security: isUnrestricted(model) ? undefined : securityOf(operation, model),
    ...describeField({ description: description ?? `${root}.${name} of the GraphQL API.`, deprecated }),
  }
}

/** One requirement for each rule. OpenAPI 3.1 lists the roles that a token needs in the requirement of its scheme. A token is
 *  optional where everyone may call: custom code may use the viewer. */
function securityOf(operation: CustomOperation, model: Model): OpenapiValue {
  if (isForAll(operation, model)) return [{}, { bearer: [] }]
  if (operation.rules.length === 0) return [{ bearer: ['admin'] }]
  return operation.rules.map(({ role }) => ({ bearer: role === null ? [] : [role] }))
}

function parameterOf(arg: Argument): OpenapiObject {
  const { name, required, default: start, type } = arg
  const isPlain = type.kind === 'list' ? valueTypeIn(type) === null : type.kind !== 'value'
  const where = {
    name,
    in: 'query',
    required: required && start === undefined ? true : undefined,
    ...describeField(arg),
  }
  if (!isPlain) return { ...where, content: jsonContent(argumentSchema(arg)) }
  const schema = textSchema(arg)
  if (type.kind === 'list') return { ...where, style: 'form', explode: false, schema }
  return { ...where, schema, example: exampleArgument(arg) }
}

/** The default, or a value that satisfies the constraint. */
function exampleArgument({ name, type, constraint, default: start }: Argument): OpenapiValue | undefined {
  return (start ?? exampleValue(type, constraint, name)) as OpenapiValue | undefined
}

/** The body of a call with its required arguments. Undefined: one of them has no example. */
function exampleCall(args: readonly Argument[]): OpenapiObject | undefined {
  const needed = args.filter((arg) => arg.required && arg.default === undefined)
  const members = needed.map((arg): [string, OpenapiValue | undefined] => [arg.name, exampleArgument(arg)])
  if (members.some(([, value]) => value === undefined)) return undefined
  return { call: { summary: 'The required arguments', value: Object.fromEntries(members) } }
}

/** A query parameter can not be null: leave the argument out. */
function textSchema({ type, constraint, default: start }: Argument): OpenapiObject {
  const itemsRequired = type.kind === 'list' ? { ...type, itemRequired: true } : type
  return {
    ...storedSchema(itemsRequired, 'write', constraint),
    default: (start ?? undefined) as OpenapiValue | undefined,
  }
}

function argumentSchema({ type, constraint, required, default: start }: Argument): OpenapiObject {
  const schema = storedSchema(type, 'write', constraint)
  return { ...(required ? schema : nullable(schema)), default: start as OpenapiValue | undefined }
}

function fieldsOf({ type }: CustomOperation): OpenapiObject[] {
  return type.kind === 'stored' ? [] : [{ $ref: `#/components/parameters/${type.of.name}.fields` }]
}

/** In XML rows have the names of their type, other results the name of the operation. */
function resultSchema({ name, type, required }: CustomOperation): OpenapiObject {
  const schema = typeSchema(type, name)
  return required ? schema : nullable(schema)
}

function typeSchema(type: CustomResultType, name: string): OpenapiObject {
  if (type.kind === 'stored') return { ...storedSchema(type.type, 'read'), xml: { name } }
  return type.kind === 'row' ? rowContent(type.of) : rowList(type.of, rowResult(type.of))
}
