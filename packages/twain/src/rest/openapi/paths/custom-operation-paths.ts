// The paths of what own code answers (docs/reference/rest.md, R118, R119).

import type { Argument, CustomOperation, CustomResultType, Model } from '#model'
import { valueIn } from '#plan/build'
import { documents } from '../../request/body.ts'
import { nullable, type Part, type Parts } from '../json-parts.ts'
import { contentOf, jsonContent, rowAnswer, rowList, rowTypes } from '../media.ts'
import { parameterRef } from '../parameters.ts'
import { answer, anywhere, failureRefs } from '../responses.ts'
import { answeredRow } from '../schemas/row-schemas.ts'
import { storedSchema, told } from '../schemas/stored-schema.ts'

/** A name that no type of a file can have. */
export const ownTag = { name: 'Own code', description: "What the service's own code answers." }

export function ownPaths({ operations }: Model): Parts {
  return Object.fromEntries(
    operations.map((operation) => [
      `/${operation.path}`,
      operation.root === 'Query' ? { get: askedOf(operation) } : { post: madeOf(operation) },
    ]),
  )
}

function askedOf(operation: CustomOperation): Parts {
  return {
    ...common(operation),
    parameters: [...operation.args.map(parameterOf), ...fieldsOf(operation)],
    responses: {
      200: answer(
        'The answer.',
        ['ETag', 'Cache-Control', 'Vary', 'X-Failed-Fields'],
        contentOf(rowTypes, given(operation)),
      ),
      304: answer('The client has it already.', ['ETag', 'Cache-Control', 'Vary']),
      ...failureRefs([400, 401, 403, 404, 406, 409, ...anywhere]),
    },
  }
}

function madeOf(operation: CustomOperation): Parts {
  const { args } = operation
  const needed = args.filter((arg) => arg.required && arg.default === undefined).map(({ name }): Part => name)
  const schema: Parts = {
    type: 'object',
    properties: Object.fromEntries(args.map((arg) => [arg.name, argumentSchema(arg)])),
    required: needed.length === 0 ? undefined : needed,
    additionalProperties: false,
  }
  const parameters = [...fieldsOf(operation), parameterRef('Idempotency-Key')]
  return {
    ...common(operation),
    parameters,
    requestBody: { required: true, content: contentOf(documents, { ...schema, xml: { name: operation.name } }) },
    responses: {
      200: answer(
        'It is done; what came of it.',
        ['Cache-Control', 'X-Failed-Fields', 'Idempotent-Replayed'],
        contentOf(rowTypes, given(operation)),
      ),
      ...failureRefs([400, 401, 403, 404, 406, 409, 413, 415, ...anywhere]),
    },
  }
}

function common({ root, name, description, deprecated }: CustomOperation): Parts {
  return {
    operationId: `${root === 'Query' ? 'own' : 'request'}.${name}`,
    tags: [ownTag.name],
    summary: name,
    ...told({ description: description ?? `${root}.${name} of the GraphQL face.`, deprecated }),
  }
}

function parameterOf(arg: Argument): Parts {
  const { name, required, default: start, type } = arg
  const isPlain = type.kind === 'list' ? valueIn(type) === null : type.kind !== 'value'
  const where = { name, in: 'query', required: required && start === undefined ? true : undefined, ...told(arg) }
  if (!isPlain) return { ...where, content: jsonContent(argumentSchema(arg)) }
  const schema = textSchema(arg)
  return type.kind === 'list' ? { ...where, style: 'form', explode: false, schema } : { ...where, schema }
}

/** A text can't say null: an argument that is to be null is left out. */
function textSchema({ type, default: start }: Argument): Parts {
  const told = type.kind === 'list' ? { ...type, itemRequired: true } : type
  return { ...storedSchema(told, 'write'), default: (start ?? undefined) as Part | undefined }
}

function argumentSchema({ type, required, default: start }: Argument): Parts {
  const schema = storedSchema(type, 'write')
  return { ...(required ? schema : nullable(schema)), default: start as Part | undefined }
}

function fieldsOf({ type }: CustomOperation): Parts[] {
  return type.kind === 'stored' ? [] : [{ $ref: `#/components/parameters/${type.of.name}.fields` }]
}

/** In XML rows have the names of their type, anything else that of its field. */
function given({ name, type, required }: CustomOperation): Parts {
  const schema = givenSchema(type, name)
  return required ? schema : nullable(schema)
}

function givenSchema(type: CustomResultType, name: string): Parts {
  if (type.kind === 'stored') return { ...storedSchema(type.type, 'read'), xml: { name } }
  return type.kind === 'row' ? rowAnswer(type.of) : rowList(type.of, answeredRow(type.of))
}
