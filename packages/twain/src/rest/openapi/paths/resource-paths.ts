// One path of the contract: what each of its methods takes and answers. `Router.routes` is the table of paths and methods
// that requests go by, so that the document has what the door has.

import { unreachable } from '#base'
import { type Abstract, type Action, type Model, membersOf, type Resource, searchedFields } from '#model'
import { isOpen, type Limits } from '#plan'
import { accessMatrix, deprecatedIn, viewerKinds } from '#plan/explain'
import { documents, jsonPatch, merges } from '../../request/body.ts'
import type { Method, Route } from '../../request/route.ts'
import { type Part, type Parts, schemaRef, sentences } from '../json-parts.ts'
import { contentOf, rowAnswer, rowList, rowTypes, streamContent } from '../media.ts'
import { linkedIdParameter, type NamedParameter, parameterRef, type SharedParameter } from '../parameters.ts'
import {
  answer,
  anywhere,
  type FailureStatus,
  failureRefs,
  type HeaderName,
  tellingDeprecations,
} from '../responses.ts'
import { answeredRow, nestedCreateName } from '../schemas/row-schemas.ts'

/** The methods that are described; HEAD is GET without a body, OPTIONS says what there is. */
const described = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly Method[]
type Described = (typeof described)[number]

const reading: readonly FailureStatus[] = [400, 401, 406, 412, ...anywhere]
const writing: readonly FailureStatus[] = [400, 401, 406, 409, 413, 415, ...anywhere]

/** What one method of one path is, before it has its place. */
interface Draft {
  id: string
  summary: string
  description: string | undefined
  parameters: Part[]
  body?: Parts
  responses: Parts
}

export class Operations {
  readonly #isRuled: boolean
  /** Whether an answer may tell of a deprecation. */
  readonly #isDeprecating: boolean
  readonly #limits: Limits
  readonly #filters: ReadonlyMap<Resource | Abstract, Parts[]>
  readonly #ids = new Set<string>()
  /** `Post READ`: what no line of the contract gives to someone unknown. */
  readonly #closed: ReadonlySet<string>
  /** The components that examples are, by the name of what they show. */
  readonly #examples: ReadonlySet<string>

  constructor(
    model: Model,
    limits: Limits,
    filters: ReadonlyMap<Resource | Abstract, NamedParameter[]>,
    examples: ReadonlySet<string>,
  ) {
    this.#filters = new Map([...filters].map(([of, named]) => [of, named.map(([name]) => parameterRef(name))]))
    this.#examples = examples
    this.#limits = limits
    this.#isRuled = !isOpen(model)
    this.#isDeprecating = deprecatedIn(model).size > 0
    const [nobody] = viewerKinds(model)
    const rows = accessMatrix(model, [nobody!]).filter(
      ({ field, cells }) => field === null && cells[0]?.verdict.is === 'never',
    )
    this.#closed = new Set(rows.map(({ of, action }) => `${of.name} ${action}`))
  }

  path(route: Route): Parts {
    return pathOf(route, (method) => this.#operation(method, route))
  }

  /** A former path (R7): the same methods lead on. */
  formerPath(route: Route): Parts {
    return pathOf(route, (method) => this.#moved(method, route))
  }

  #moved(method: Described, route: Route): Parts {
    const { id, summary } = this.#draft(method, route)
    const status = method === 'GET' ? 301 : 308
    return {
      operationId: this.#unique(`${id}Formerly`),
      tags: [tagOf(route)],
      summary: `${summary} (moved)`,
      description: `Is now at \`/${route.key}\`, with the same query.`,
      deprecated: true,
      responses: inOrder({
        [status]: answer('Where it is now.', ['Location']),
        ...failureRefs([401, ...anywhere]),
      }),
    }
  }

  #operation(method: Described, route: Route): Parts {
    const { id, summary, description, parameters, body, responses } = this.#draft(method, route)
    return {
      operationId: this.#unique(id),
      tags: [tagOf(route)],
      summary,
      description,
      security: this.#isRuled
        ? this.#security(route.of, route.kind === 'link' ? ['UPDATE'] : actions[method])
        : undefined,
      parameters,
      requestBody: body,
      responses: inOrder(this.#isDeprecating ? tellingDeprecations(responses) : responses),
    }
  }

  #draft(method: Described, route: Route): Draft {
    switch (method) {
      case 'GET':
        return route.kind === 'item' ? this.#get(route) : this.#list(route)
      case 'POST':
        return this.#create(route)
      case 'PUT':
        return route.kind === 'link' ? this.#link(route) : this.#replace(route)
      case 'PATCH':
        return this.#update(route)
      case 'DELETE':
        return route.kind === 'link' ? this.#unlink(route) : this.#delete(route)
      default:
        return unreachable(method)
    }
  }

  #get({ of }: Route): Draft {
    return {
      id: `get${of.name}`,
      summary: `Read a ${of.name}`,
      description: sentences('One row by its id.', of.description),
      parameters: [
        own(of, 'fields'),
        ...conditions(of, ['If-Match', 'If-None-Match'], ['If-Modified-Since', 'If-Unmodified-Since']),
      ],
      responses: {
        200: this.#row(of, 'The row.', [...keeping, ...lastModified(of), ...failing(of)]),
        304: answer(unchanged, [...keeping, ...lastModified(of)]),
        ...failureRefs(this.#reading(404)),
      },
    }
  }

  #list(route: Route): Draft {
    const { of } = route
    const nested = route.kind === 'nested'
    const connection = { ...schemaRef(`${of.name}.connection`), xml: { name: `${of.single}Connection` } }
    const page: Parts = { oneOf: [rowList(of, answeredRow(of)), connection] }
    const examples = this.#example(`${of.name}.page`, `${of.name}.connection`)
    return {
      id: nested ? `list${capital(route.field.name)}Of${route.field.owner.name}` : `list${capital(of.list)}`,
      summary: nested ? `List ${route.field.name} of a ${route.field.owner.name}` : `List ${of.path}`,
      description: sentences(nested ? route.field.description : of.description, ...aboutLists),
      parameters: [
        ...(['limit', 'offset', 'first', 'after'] as const).map(shared),
        ...(['sort', 'fields', 'where'] as const).map((word) => own(of, word)),
        ...(searchedFields(of).length > 0 ? [own(of, 'search')] : []),
        ...(this.#filters.get(of) ?? []),
        ...(['Prefer', 'If-Match', 'If-None-Match'] as const).map(shared),
      ],
      responses: {
        200: answer('A page of rows, or all as a stream.', [...pageHeaders, ...failing(of)], {
          ...contentOf(rowTypes, page, examples),
          ...streamContent(of),
        }),
        304: answer(unchanged, pageHeaders),
        ...failureRefs(nested ? this.#reading(404) : this.#reading()),
      },
    }
  }

  #create(route: Route): Draft {
    const { of } = route
    const { id, description, schema } =
      route.kind === 'nested' && route.field.kind === 'many'
        ? {
            id: `create${capital(route.field.name)}Of${route.field.owner.name}`,
            description: `Makes a ${of.name} that refers to this ${route.field.owner.name}, or several: all or none.`,
            schema: nestedCreateName(route.field),
          }
        : {
            id: `create${of.name}`,
            description: 'Makes a row, or of an array all rows or none; ids are made by the server.',
            schema: `${of.name}.create`,
          }
    return {
      id,
      summary: `Create a ${of.name}`,
      description,
      parameters: [own(of, 'fields'), shared('Idempotency-Key')],
      body: body(documents, this.#oneOrSeveral(of, schemaRef(schema)), this.#example(schema)),
      responses: {
        201: answer(
          'The row that was made, or of an array all of them (without `ETag` and `Location`).',
          ['ETag', 'Location', 'Idempotent-Replayed'],
          contentOf(rowTypes, { oneOf: [rowAnswer(of), rowList(of, answeredRow(of))] }, this.#example(of.name)),
        ),
        ...failureRefs(this.#writing(...(route.kind === 'nested' ? ([404] as const) : []))),
      },
    }
  }

  #replace({ of }: Route): Draft {
    return {
      id: `replace${of.name}`,
      summary: `Replace a ${of.name}`,
      description: 'Replaces the row whole, or makes it under this id.',
      parameters: [own(of, 'fields'), ...writeHeaders(of)],
      body: body(documents, inXml(of, schemaRef(`${of.name}.replace`)), this.#example(`${of.name}.create`)),
      responses: {
        200: this.#row(of, 'The row as it is now.', ['ETag', 'Idempotent-Replayed']),
        201: this.#row(of, 'The row that was made.', ['ETag', 'Location', 'Idempotent-Replayed']),
        ...failureRefs(this.#writing(404, 412)),
      },
    }
  }

  #update({ of }: Route): Draft {
    return {
      id: `update${of.name}`,
      summary: `Update a ${of.name}`,
      description:
        'Changes what the body names (a JSON merge patch, RFC 7396); null clears. A JSON patch (RFC 6902) is done on the row as it is read, all of it or nothing.',
      parameters: [own(of, 'fields'), ...writeHeaders(of)],
      body: {
        required: true,
        content: {
          ...contentOf(merges, schemaRef(`${of.name}.merge`), this.#example(`${of.name}.merge`)),
          ...contentOf([jsonPatch], schemaRef('twain.jsonPatch'), this.#example('twain.jsonPatch')),
        },
      },
      responses: {
        200: this.#row(of, 'The row as it is now.', ['ETag', 'Idempotent-Replayed']),
        ...failureRefs(this.#writing(404, 412)),
      },
    }
  }

  #delete({ of }: Route): Draft {
    return {
      id: `delete${of.name}`,
      summary: `Delete a ${of.name}`,
      description: 'Deletes the row; afterwards it is a 404.',
      parameters: writeHeaders(of),
      responses: { 204: answer('It is gone.', ['Idempotent-Replayed']), ...failureRefs(this.#bare()) },
    }
  }

  #link({ of, field }: LinkRoute): Draft {
    return {
      id: `link${capital(field.name)}Of${of.name}`,
      summary: `Link one of ${field.name} to a ${of.name}`,
      description: 'However often it is said, the link is there once.',
      parameters: writeHeaders(of),
      responses: { 204: answer('It is there.', ['Idempotent-Replayed']), ...failureRefs(this.#bare()) },
    }
  }

  #unlink({ of, field }: LinkRoute): Draft {
    return {
      id: `unlink${capital(field.name)}Of${of.name}`,
      summary: `Unlink one of ${field.name} from a ${of.name}`,
      description: 'Ends the link; both rows stay.',
      parameters: writeHeaders(of),
      responses: { 204: answer('There is none.', ['Idempotent-Replayed']), ...failureRefs(this.#bare()) },
    }
  }

  #row(of: Resource | Abstract, description: string, headers: readonly HeaderName[]): Parts {
    return answer(description, headers, contentOf(rowTypes, rowAnswer(of), this.#example(of.name)))
  }

  #oneOrSeveral(of: Resource | Abstract, row: Parts): Parts {
    const { transaction } = this.#limits
    const bounds = { minItems: 1, maxItems: transaction === 0 ? undefined : transaction }
    return { oneOf: [inXml(of, row), rowList(of, row, bounds)] }
  }

  /** A token always may come along; where the rules let nobody unknown in, it must. */
  #security(of: Resource | Abstract, wanted: readonly Action[]): Part {
    const closed = membersOf(of).every(({ name }) => wanted.every((action) => this.#closed.has(`${name} ${action}`)))
    return closed ? [{ bearer: [] }] : [{}, { bearer: [] }]
  }

  #unique(id: string): string {
    let free = id
    for (let count = 2; this.#ids.has(free); count++) free = `${id}${count}`
    this.#ids.add(free)
    return free
  }

  #reading(...more: FailureStatus[]): FailureStatus[] {
    return [...reading, ...more, ...this.#ruled]
  }

  #writing(...more: FailureStatus[]): FailureStatus[] {
    return [...writing, ...more, ...this.#ruled]
  }

  /** Of what neither takes a body nor answers with one. */
  #bare(): FailureStatus[] {
    return [400, 401, 404, 409, 412, ...anywhere, ...this.#ruled]
  }

  get #ruled(): FailureStatus[] {
    return this.#isRuled ? [403] : []
  }

  /** Those of these examples that there are. */
  #example(...names: string[]): Parts | undefined {
    const there = names.filter((name) => this.#examples.has(name))
    if (there.length === 0) return undefined
    return Object.fromEntries(there.map((name) => [name, { $ref: `#/components/examples/${name}` }]))
  }
}

const actions: Record<Described, readonly Action[]> = {
  GET: ['READ'],
  POST: ['CREATE'],
  PUT: ['CREATE', 'UPDATE'],
  PATCH: ['UPDATE'],
  DELETE: ['DELETE'],
}

const aboutLists = [
  'Every parameter that is no word of its own is a filter; several must all hold. Filters also lead through references and lists, with dots: `author.name[contains]=A`.',
  'The answer is an array, or with `first` or `after` a page with cursors.',
]

const keeping: readonly HeaderName[] = ['ETag', 'Cache-Control', 'Vary']
const pageHeaders: readonly HeaderName[] = [...keeping, 'Link', 'X-Total-Count', 'Preference-Applied']
const unchanged = 'The client has it already.'

type LinkRoute = Extract<Route, { kind: 'link' }>

function pathOf(route: Route, operation: (method: Described) => Parts): Parts {
  const operations = described
    .filter((method) => route.methods.includes(method))
    .map((method) => [method.toLowerCase(), operation(method)])
  const id = route.kind === 'collection' ? [] : [shared('id')]
  const parameters = route.kind === 'link' ? [...id, linkedIdParameter(route.field)] : id
  return { parameters: parameters.length === 0 ? undefined : parameters, ...Object.fromEntries(operations) }
}

function tagOf(route: Route): string {
  return route.kind === 'nested' ? route.field.owner.name : route.of.name
}

/** A row of such a type knows when it was changed (R63). */
function isDated(of: Resource | Abstract): boolean {
  return [...of.fields.values()].some((field) => field.kind === 'stored' && field.auto === 'UPDATE_TIME')
}

function lastModified(of: Resource | Abstract): HeaderName[] {
  return isDated(of) ? ['Last-Modified'] : []
}

/** Where own code answers something, it may fail. */
function failing({ computed }: Resource | Abstract): HeaderName[] {
  return computed.size > 0 ? ['X-Failed-Fields'] : []
}

function conditions(of: Resource | Abstract, byTag: SharedParameter[], byTime: SharedParameter[]): Parts[] {
  return [...byTag, ...(isDated(of) ? byTime : [])].map(shared)
}

function writeHeaders(of: Resource | Abstract): Parts[] {
  return [
    ...conditions(of, ['write.If-Match', 'write.If-None-Match'], ['If-Unmodified-Since']),
    shared('Idempotency-Key'),
  ]
}

function inXml({ single }: Resource | Abstract, schema: Parts): Parts {
  return { ...schema, xml: { name: single } }
}

function own({ name }: Resource | Abstract, word: 'fields' | 'sort' | 'where' | 'search'): Parts {
  return parameterRef(`${name}.${word}`)
}

function shared(name: SharedParameter): Parts {
  return parameterRef(name)
}

function body(types: readonly string[], schema: Parts, examples: Parts | undefined): Parts {
  return { required: true, content: contentOf(types, schema, examples) }
}

/** Statuses in their order, whoever named them. */
function inOrder(responses: Parts): Parts {
  return Object.fromEntries(Object.entries(responses).sort(([a], [b]) => Number(a) - Number(b)))
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}
