// One path of the contract: what each of its methods takes and answers. `Router.routes` is the table of paths and methods
// that requests go by, so that the document has what the door has.

import { unreachable } from '#base'
import type { Abstract, Action, Model, Resource } from '#model'
import { accessMatrix, viewerKinds } from '#plan'
import { documents, patches } from '../body.ts'
import { isRuled } from '../caching.ts'
import type { Method, Route } from '../route.ts'
import { type NamedParameter, parameterRef, type SharedParameter } from './parameters.ts'
import { type Part, type Parts, schemaRef, sentences } from './part.ts'
import { answer, type FailureStatus, failureRefs, type HeaderName, headerRefs } from './responses.ts'
import { answeredRow, nestedCreateName } from './row-schemas.ts'

/** The methods that are described; HEAD is GET without a body, OPTIONS says what there is. */
const described = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly Method[]
type Described = (typeof described)[number]

/** What rows are represented as, and pages of them. */
const representations = { row: ['application/json'], page: ['application/json'] } as const

const reading: readonly FailureStatus[] = [400, 401, 406, 500, 503]
const writing: readonly FailureStatus[] = [400, 401, 406, 409, 413, 415, 500, 503]

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
  readonly #filters: ReadonlyMap<Resource | Abstract, Parts[]>
  readonly #ids = new Set<string>()
  /** `Post READ`: what no line of the contract gives to someone unknown. */
  readonly #closed: ReadonlySet<string>
  /** The components that examples are, by the name of what they show. */
  readonly #examples: ReadonlySet<string>

  constructor(
    model: Model,
    filters: ReadonlyMap<Resource | Abstract, NamedParameter[]>,
    examples: ReadonlySet<string>,
  ) {
    this.#filters = new Map([...filters].map(([of, named]) => [of, named.map(([name]) => parameterRef(name))]))
    this.#examples = examples
    this.#isRuled = isRuled(model)
    const [nobody] = viewerKinds(model)
    const rows = accessMatrix(model, [nobody!]).filter(
      ({ field, cells }) => field === null && cells[0]?.verdict.is === 'never',
    )
    this.#closed = new Set(rows.map(({ of, action }) => `${of.name} ${action}`))
  }

  path(route: Route): Parts {
    const operations = described
      .filter((method) => route.methods.includes(method))
      .map((method) => [method.toLowerCase(), this.#operation(method, route)])
    const parameters = route.kind === 'collection' ? undefined : [shared('id')]
    return { parameters, ...Object.fromEntries(operations) }
  }

  #operation(method: Described, route: Route): Parts {
    const { id, summary, description, parameters, body, responses } = this.#draft(method, route)
    return {
      operationId: this.#unique(id),
      tags: [route.kind === 'nested' ? route.field.owner.name : route.of.name],
      summary,
      description,
      security: this.#isRuled ? this.#security(route.of, actions[method]) : undefined,
      parameters,
      requestBody: body,
      responses: inOrder(responses),
    }
  }

  #draft(method: Described, route: Route): Draft {
    switch (method) {
      case 'GET':
        return route.kind === 'item' ? this.#get(route) : this.#list(route)
      case 'POST':
        return this.#create(route)
      case 'PUT':
        return this.#replace(route)
      case 'PATCH':
        return this.#update(route)
      case 'DELETE':
        return this.#delete(route)
      default:
        return unreachable(method)
    }
  }

  #get({ of }: Route): Draft {
    return {
      id: `get${of.name}`,
      summary: `Read a ${of.name}`,
      description: sentences('One row by its id.', of.description),
      parameters: [own(of, 'fields'), shared('If-None-Match')],
      responses: {
        200: this.#row(of, 'The row.', ['ETag', 'Cache-Control', 'Vary']),
        304: notModified,
        ...failureRefs(this.#reading(404)),
      },
    }
  }

  #list(route: Route): Draft {
    const { of } = route
    const nested = route.kind === 'nested'
    const rows: Parts = { type: 'array', items: answeredRow(of) }
    const page: Parts = { oneOf: [rows, schemaRef(`${of.name}.connection`)] }
    const examples = this.#example(`${of.name}.page`, `${of.name}.connection`)
    return {
      id: nested ? `list${capital(route.field.name)}Of${route.field.owner.name}` : `list${capital(of.list)}`,
      summary: nested ? `List ${route.field.name} of a ${route.field.owner.name}` : `List ${of.path}`,
      description: sentences(nested ? route.field.description : of.description, ...aboutLists),
      parameters: [
        ...(['limit', 'offset', 'first', 'after'] as const).map(shared),
        ...(['sort', 'fields', 'where'] as const).map((word) => own(of, word)),
        ...(this.#filters.get(of) ?? []),
        shared('Prefer'),
        shared('If-None-Match'),
      ],
      responses: {
        200: answer('A page of rows.', pageHeaders, representations.page, page, examples),
        304: notModified,
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
            description: `Makes a ${of.name} that refers to this ${route.field.owner.name}.`,
            schema: nestedCreateName(route.field),
          }
        : {
            id: `create${of.name}`,
            description: 'Makes a row; its id is made by the server.',
            schema: `${of.name}.create`,
          }
    return {
      id,
      summary: `Create a ${of.name}`,
      description,
      parameters: [own(of, 'fields')],
      body: body(documents, schema, this.#example(`${of.name}.create`)),
      responses: {
        201: this.#row(of, 'The row that was made.', ['ETag', 'Location']),
        ...failureRefs(this.#writing(...(route.kind === 'nested' ? ([404] as const) : []))),
      },
    }
  }

  #replace({ of }: Route): Draft {
    return {
      id: `replace${of.name}`,
      summary: `Replace a ${of.name}`,
      description: 'Replaces the row whole, or makes it under this id.',
      parameters: [own(of, 'fields'), shared('If-Match')],
      body: body(documents, `${of.name}.replace`, this.#example(`${of.name}.create`)),
      responses: {
        200: this.#row(of, 'The row as it is now.', ['ETag']),
        201: this.#row(of, 'The row that was made.', ['ETag', 'Location']),
        ...failureRefs(this.#writing(404, 412)),
      },
    }
  }

  #update({ of }: Route): Draft {
    return {
      id: `update${of.name}`,
      summary: `Update a ${of.name}`,
      description: 'Changes what the body names (a JSON merge patch, RFC 7396); null clears.',
      parameters: [own(of, 'fields'), shared('If-Match')],
      body: body(patches, `${of.name}.merge`, this.#example(`${of.name}.merge`)),
      responses: {
        200: this.#row(of, 'The row as it is now.', ['ETag']),
        ...failureRefs(this.#writing(404, 412)),
      },
    }
  }

  #delete({ of }: Route): Draft {
    const withBody: readonly FailureStatus[] = [406, 413, 415]
    const failures = this.#writing(404, 412).filter((status) => !withBody.includes(status))
    return {
      id: `delete${of.name}`,
      summary: `Delete a ${of.name}`,
      description: 'Deletes the row; afterwards it is a 404.',
      parameters: [shared('If-Match')],
      responses: { 204: { description: 'It is gone.' }, ...failureRefs(failures) },
    }
  }

  #row(of: Resource | Abstract, description: string, headers: readonly HeaderName[]): Parts {
    return answer(description, headers, representations.row, answeredRow(of), this.#example(of.name))
  }

  /** A token always may come along; where the rules let nobody unknown in, it must. */
  #security(of: Resource | Abstract, wanted: readonly Action[]): Part {
    const members = of.kind === 'abstract' ? of.members : [of]
    const closed = members.every(({ name }) => wanted.every((action) => this.#closed.has(`${name} ${action}`)))
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

const pageHeaders: readonly HeaderName[] = [
  'ETag',
  'Cache-Control',
  'Vary',
  'Link',
  'X-Total-Count',
  'Preference-Applied',
]

const notModified: Parts = {
  description: 'The client has it already.',
  headers: headerRefs(['ETag', 'Cache-Control', 'Vary']),
}

function own({ name }: Resource | Abstract, word: 'fields' | 'sort' | 'where'): Parts {
  return parameterRef(`${name}.${word}`)
}

function shared(name: SharedParameter): Parts {
  return parameterRef(name)
}

function body(types: readonly string[], schema: string, examples: Parts | undefined): Parts {
  const media = { schema: schemaRef(schema), examples }
  return { required: true, content: Object.fromEntries(types.map((type) => [type, media])) }
}

/** Statuses in their order, whoever named them. */
function inOrder(responses: Parts): Parts {
  return Object.fromEntries(Object.entries(responses).sort(([a], [b]) => Number(a) - Number(b)))
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}
