// The methods of each path of a resource, with their inputs and responses. The paths come from `Router.routes`, which also routes
// requests, so that the document and the API have the same paths.

import { unreachable } from '#base'
import {
  type Abstract,
  type Action,
  hasAggregates,
  isFile,
  type Model,
  membersOf,
  type Resource,
  searchedFields,
} from '#model'
import { isUnrestricted, type Limits } from '#plan'
import { accessMatrix, deprecationReasons, exampleTime, viewerKinds } from '#plan/explain'
import { documentTypes, jsonPatchType, mergePatchTypes } from '../../request/body.ts'
import type { Method, Route } from '../../request/route.ts'
import { type OpenapiObject, type OpenapiProfile, type OpenapiValue, schemaRef, sentences } from '../json-parts.ts'
import {
  contentOf,
  jsonContent,
  recordContent,
  resultLines,
  rowContent,
  rowList,
  rowTypes,
  streamContent,
} from '../media.ts'
import {
  conflictParameters,
  keyParameters,
  linkedIdParameter,
  type NamedParameter,
  parameterRef,
  type SharedParameter,
} from '../parameters.ts'
import {
  commonFailures,
  type FailureStatus,
  failureRefs,
  type HeaderName,
  response,
  withDeprecationHeaders,
} from '../responses.ts'
import { groupResults } from '../schemas/group-schemas.ts'
import { nestedCreateName, replaceByKeyName } from '../schemas/input-schemas.ts'
import { rowResult } from '../schemas/row-schemas.ts'

/** Without HEAD and OPTIONS, which the introduction of the document describes. */
const describedMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly Method[]
type DescribedMethod = (typeof describedMethods)[number]

const reading: readonly FailureStatus[] = [400, 401, 406, 412, ...commonFailures]
const writing: readonly FailureStatus[] = [400, 401, 406, 409, 413, 415, 422, ...commonFailures]

/** One method of a path. */
interface OperationDescription {
  id: string
  summary: string
  description: string | undefined
  parameters: OpenapiValue[]
  body?: OpenapiObject
  responses: OpenapiObject
}

export class ResourcePaths {
  readonly #hasRules: boolean
  /** Whether a response may have deprecation headers. */
  readonly #hasDeprecations: boolean
  readonly #limits: Limits
  readonly #profile: OpenapiProfile
  readonly #filters: ReadonlyMap<Resource | Abstract, OpenapiObject[]>
  readonly #ids = new Set<string>()
  /** `Post READ`: the actions that no rule grants to anonymous viewers. */
  readonly #tokenRequired: ReadonlySet<string>
  readonly #hasDeletedRows: boolean
  readonly #account: Resource | null
  /** The account type, if guests prove their address before there is a row. */
  readonly #signedUp: Resource | null
  /** The names of the example components. */
  readonly #examples: ReadonlySet<string>

  constructor(
    model: Model,
    limits: Limits,
    profile: OpenapiProfile,
    filters: ReadonlyMap<Resource | Abstract, NamedParameter[]>,
    examples: ReadonlySet<string>,
  ) {
    this.#filters = new Map([...filters].map(([of, named]) => [of, named.map(([name]) => parameterRef(name))]))
    this.#examples = examples
    this.#signedUp = model.account?.verification === 'REQUIRED' ? model.account.resource : null
    this.#account = model.account?.resource ?? null
    this.#hasDeletedRows = model.resources.some(({ softDelete }) => softDelete !== undefined)
    this.#limits = limits
    this.#profile = profile
    this.#hasRules = !isUnrestricted(model)
    this.#hasDeprecations = deprecationReasons(model).size > 0
    const [nobody] = viewerKinds(model)
    const rows = accessMatrix(model, [nobody!]).filter(
      ({ field, cells }) => field === null && cells[0]?.verdict.is === 'never',
    )
    this.#tokenRequired = new Set(rows.map(({ of, action }) => `${of.name} ${action}`))
  }

  path(route: Route): OpenapiObject {
    return pathOf(route, (method) => this.#operation(method, route))
  }

  /** An alias of a path (R7): the same methods redirect. */
  alias(route: Route): OpenapiObject {
    return pathOf(route, (method) => this.#redirect(method, route))
  }

  #redirect(method: DescribedMethod, route: Route): OpenapiObject {
    const { id, summary } = this.#describe(method, route)
    const status = method === 'GET' ? 301 : 308
    return {
      operationId: this.#unique(`${id}Formerly`),
      tags: [tagOf(route)],
      summary: `${summary} (moved)`,
      description: `Redirects to \`/${route.key}\`, with the same query.`,
      deprecated: true,
      responses: inOrder({
        [status]: response('The present path.', ['Location']),
        ...failureRefs([401, ...commonFailures]),
      }),
    }
  }

  #operation(method: DescribedMethod, route: Route): OpenapiObject {
    const { id, summary, description, parameters, body, responses: described } = this.#describe(method, route)
    const ofServer = this.#isOfServer(route)
    const responses = ofServer ? { ...described, ...failureRefs([403]) } : described
    return {
      operationId: this.#unique(id),
      tags: [tagOf(route)],
      summary,
      description,
      security:
        ofServer || route.kind === 'export' || (route.kind === 'access' && this.#hasRules)
          ? [{ bearer: [] }]
          : this.#hasRules
            ? this.#security(route.of, actionsOf(method, route))
            : undefined,
      parameters,
      requestBody: body,
      responses: inOrder(this.#hasDeprecations ? withDeprecationHeaders(responses) : responses),
    }
  }

  /** Files in the list of a row have the rules of the row; without rules, everyone may list all of them. */
  #isOfServer({ kind, of }: Route): boolean {
    if (of.kind !== 'resource' || of.system === undefined) return false
    return !isFile(of) || (kind === 'collection' && this.#hasRules)
  }

  #describe(method: DescribedMethod, route: Route): OperationDescription {
    switch (method) {
      case 'GET':
        if (route.kind === 'history') return this.#history(route)
        if (route.kind === 'export') return this.#export(route)
        if (route.kind === 'access') return this.#access(route)
        if (route.kind === 'message') return this.#message(route)
        return route.kind === 'item' ? this.#get(route) : this.#list(route)
      case 'POST':
        if (route.kind === 'item') return route.action === 'revert' ? this.#revert(route) : this.#restore(route)
        return isOfServer(route.of) && route.of.system?.isRedelivered ? this.#redeliver(route) : this.#create(route)
      case 'PUT':
        return route.kind === 'link' ? this.#link(route) : this.#replace(route)
      case 'PATCH':
        return route.kind === 'collection' ? this.#updateAll(route.of) : this.#update(route)
      case 'DELETE':
        if (route.kind === 'collection') return this.#deleteAll(route.of)
        return route.kind === 'link' ? this.#unlink(route) : this.#delete(route)
      default:
        return unreachable(method)
    }
  }

  #get(route: Route): OperationDescription {
    const { of } = route
    const by = keyNames(route)
    const headers = [...cacheHeaders, ...contentLocation(route), ...lastModified(of)]
    return {
      id: `get${of.name}${by.id}`,
      summary: `Read a ${of.name}${by.summary}`,
      description: sentences(by.id === '' ? 'One row by its id.' : 'One row by a unique key.', of.description),
      parameters: [
        typeParameter(of, 'fields'),
        ...conditions(of, ['If-Match', 'If-None-Match'], ['If-Modified-Since', 'If-Unmodified-Since']),
      ],
      responses: {
        200: this.#row(of, 'The row.', [...headers, ...failedFieldsHeader(of)]),
        304: response(notModified, headers),
        ...failureRefs(this.#reading(404)),
      },
    }
  }

  #list(route: Route): OperationDescription {
    const { of } = route
    const nested = route.kind === 'nested'
    const connection = { ...schemaRef(`${of.name}.connection`), xml: { name: `${of.single}Connection` } }
    const rows = [rowList(of, rowResult(of)), connection]
    const isGrouped = this.#profile === 'full' && hasAggregates(of)
    const schema = isGrouped ? { anyOf: [...rows, ...groupResults(of)] } : { oneOf: rows }
    const examples = this.#example(`${of.name}.page`, `${of.name}.connection`)
    return {
      id: nested ? `list${capital(route.field.name)}Of${route.field.owner.name}` : `list${capital(of.list)}`,
      summary: nested ? `List ${route.field.name} of a ${route.field.owner.name}` : `List ${of.path}`,
      description: sentences(
        nested ? route.field.description : of.description,
        ...aboutLists[this.#profile],
        pageSizeNote(of),
      ),
      parameters: [
        ...(['limit', 'offset', 'first', 'after'] as const).map(shared),
        ...(isGrouped ? [shared('distinct'), ...groupParameters(of)] : []),
        ...(['sort', 'fields', 'where'] as const).map((word) => typeParameter(of, word)),
        ...(searchedFields(of).length > 0 ? [typeParameter(of, 'search')] : []),
        ...(this.#filters.get(of) ?? []),
        ...(!nested && isSoftDeleted(of) ? [shared('deleted')] : []),
        ...(['Prefer', 'If-Match', 'If-None-Match'] as const).map(shared),
      ],
      responses: {
        200: response('A page of rows, or a stream of all rows.', [...pageHeaders, ...failedFieldsHeader(of)], {
          ...contentOf(rowTypes, schema, examples),
          ...streamContent(of, isGrouped),
        }),
        304: response(notModified, pageHeaders),
        ...failureRefs(nested ? this.#reading(404) : this.#reading()),
      },
    }
  }

  /** `{"delivery": id}` at the deliveries of a webhook. */
  #redeliver({ of }: Route): OperationDescription {
    const delivery = { type: 'string', description: 'The id of a delivery of this webhook.' }
    const properties = { type: 'object', properties: { delivery }, required: ['delivery'], additionalProperties: false }
    return {
      id: 'redeliver',
      summary: 'Send a delivery again',
      description: 'Sends a finished delivery again, with the same id and new retries.',
      parameters: [typeParameter(of, 'fields'), shared('Idempotency-Key')],
      body: body(['application/json'], properties, { request: { value: { delivery: exampleDelivery } } }),
      responses: {
        202: this.#row(of, 'The delivery is pending.', ['ETag', 'Idempotent-Replayed']),
        ...failureRefs(this.#writing(404)),
      },
    }
  }

  #create(route: Route): OperationDescription {
    const { of } = route
    if (isOfServer(of)) return this.#createOfServer(of)
    const conflicts = conflictParameters(of)
    const isFull = this.#profile === 'full' // clients that are generated know one shape of an answer
    const preferences: HeaderName[] = conflicts.length > 0 ? ['Preference-Applied'] : []
    const content = contentOf(rowTypes, { oneOf: [rowContent(of), rowList(of, rowResult(of))] }, this.#example(of.name))
    const { id, description, schema } =
      route.kind === 'nested' && route.field.kind === 'many'
        ? {
            id: `create${capital(route.field.name)}Of${route.field.owner.name}`,
            description: `Creates a ${of.name} that references this ${route.field.owner.name}. An array, or a body in NDJSON or CSV, creates several, all or none.`,
            schema: nestedCreateName(route.field),
          }
        : {
            id: `create${of.name}`,
            description:
              'Creates a row; the server chooses the id. An array, or a body in NDJSON or CSV, creates several rows, all or none.',
            schema: `${of.name}.create`,
          }
    return {
      id,
      summary: `Create a ${of.name}`,
      description,
      parameters: [typeParameter(of, 'fields'), ...conflicts, shared('create.Prefer'), shared('Idempotency-Key')],
      body: {
        required: true,
        content: {
          ...contentOf(documentTypes, this.#oneOrSeveral(of, schemaRef(schema)), this.#example(schema)),
          ...recordContent(schemaRef(schema)),
        },
      },
      responses: {
        ...((conflicts.length > 0 || isFull) && {
          200: response(
            [
              ...(isFull ? ['With `Prefer: handling=lenient`: a line for each row.'] : []),
              ...(conflicts.length > 0
                ? ['The row that had the key of `onConflict`. For an array: the rows, none of them new.']
                : []),
            ].join(' '),
            ['ETag', 'Preference-Applied', 'Idempotent-Replayed'],
            { ...(conflicts.length > 0 && content), ...(isFull && resultLines) },
          ),
        }),
        201: response(
          'The created row. For several: an array of the created rows, without `ETag` and `Location`.',
          ['ETag', 'Location', ...preferences, 'Idempotent-Replayed'],
          content,
        ),
        ...(route.kind === 'collection' &&
          route.of === this.#signedUp && {
            202: response(
              'Without a token: a code is mailed to the address, and `POST /verifications` with it creates the row. The same whether or not the address is taken.',
              ['Cache-Control'],
              jsonContent(schemaRef('twain.code'), { code: { value: { secret: 'pX2c…', expiresAt: exampleTime } } }),
            ),
          }),
        ...failureRefs(this.#writing(...(route.kind === 'nested' ? ([404] as const) : []))),
      },
    }
  }

  /** One row at a time. */
  #createOfServer(of: Resource): OperationDescription {
    return {
      id: `create${of.name}`,
      summary: `Create a ${of.name}`,
      description: of.description ?? '',
      parameters: [typeParameter(of, 'fields'), shared('Idempotency-Key')],
      body: body(documentTypes, inXml(of, schemaRef(`${of.name}.create`)), this.#example(`${of.name}.create`)),
      responses: {
        201: this.#row(of, 'The created row.', ['ETag', 'Location', 'Idempotent-Replayed']),
        ...failureRefs(this.#writing()),
      },
    }
  }

  #replace(route: Route): OperationDescription {
    const { of } = route
    const by = keyNames(route)
    const headers: HeaderName[] = ['ETag', ...contentLocation(route), 'Idempotent-Replayed']
    return {
      id: `replace${of.name}${by.id}`,
      summary: `Replace a ${of.name}${by.summary}`,
      description: `Replaces the whole row, or creates it with this ${by.id === '' ? 'id' : 'key'}.`,
      parameters: [typeParameter(of, 'fields'), ...writeHeaders(of)],
      body: body(documentTypes, inXml(of, schemaRef(replaceName(route))), this.#example(`${of.name}.create`)),
      responses: {
        200: this.#row(of, 'The row as it is now.', headers),
        201: this.#row(of, 'The created row.', ['Location', ...headers]),
        ...failureRefs(this.#writing(...(by.id === '' ? ([404, 410, 412] as const) : ([412] as const)))),
      },
    }
  }

  #update(route: Route): OperationDescription {
    const { of } = route
    const by = keyNames(route)
    return {
      id: `update${of.name}${by.id}`,
      summary: `Update a ${of.name}${by.summary}`,
      description:
        'Changes the fields of the body (JSON merge patch, RFC 7396); null clears a field. A JSON patch (RFC 6902) applies to the default representation of the row, all operations or none.',
      parameters: [typeParameter(of, 'fields'), ...writeHeaders(of)],
      body: {
        required: true,
        content: {
          ...contentOf(mergePatchTypes, schemaRef(`${of.name}.merge`), this.#example(`${of.name}.merge`)),
          ...contentOf([jsonPatchType], schemaRef('twain.jsonPatch'), this.#example('twain.jsonPatch')),
        },
      },
      responses: {
        200: this.#row(of, 'The row as it is now.', ['ETag', ...contentLocation(route), 'Idempotent-Replayed']),
        ...failureRefs(this.#writing(404, 412)),
      },
    }
  }

  #delete(route: Route): OperationDescription {
    const { of } = route
    const by = keyNames(route)
    if (isOfServer(of)) {
      return {
        id: `delete${of.name}`,
        summary: `Delete a ${of.name}`,
        description: 'Deletes the row, and the rows of its lists.',
        parameters: writeHeaders(of),
        responses: { 204: response('The row is deleted.', ['Idempotent-Replayed']), ...failureRefs(this.#bare()) },
      }
    }
    const isAccount = of.name === this.#account?.name
    return {
      id: `delete${of.name}${by.id}`,
      summary: `Delete a ${of.name}${by.summary}`,
      description: sentences(
        'Deletes the row, and what `onDelete: CASCADE` takes along. 409 with `CASCADE` if that is too much for one request.',
        isSoftDeleted(of) ? 'A deleted row can be restored for a time.' : null,
      ),
      parameters: [...(isSoftDeleted(of) ? [shared('purge')] : []), ...writeHeaders(of), shared('delete.Prefer')],
      ...(isAccount && { body: confirmation }),
      responses: {
        202: response(
          'The row is deleted. The rows that refer to it are too many for one request: nobody can see them any more, and they are deleted in the background.',
          ['Preference-Applied', 'Idempotent-Replayed'],
        ),
        204: response('The row is deleted.', ['Idempotent-Replayed']),
        ...failureRefs([...this.#bare(), ...(isAccount ? ([413, 415] as const) : [])]),
      },
    }
  }

  #updateAll(of: Resource | Abstract): OperationDescription {
    return {
      id: `update${capital(of.list)}`,
      summary: `Update ${of.path} by a filter`,
      description: this.#isFull
        ? 'Changes all rows that match, each as an update of its own: all or none. The filters are those of the list. The body is a JSON merge patch (RFC 7396).'
        : 'Changes all rows that match, or none.',
      parameters: this.#bulkParameters(of),
      body: body(mergePatchTypes, schemaRef(`${of.name}.merge`), this.#example(`${of.name}.merge`)),
      responses: this.#bulkResponses(),
    }
  }

  #deleteAll(of: Resource | Abstract): OperationDescription {
    return {
      id: `delete${capital(of.list)}`,
      summary: `Delete ${of.path} by a filter`,
      description: this.#isFull
        ? 'Deletes all rows that match, each as a delete of its own, with what `onDelete: CASCADE` takes along: all or none. The filters are those of the list.'
        : 'Deletes all rows that match, or none.',
      parameters: [...this.#bulkParameters(of), shared('delete.Prefer')],
      responses: {
        ...this.#bulkResponses(),
        202: response(
          'Some of the rows had too many rows behind them for one request, which are deleted in the background.',
          ['Preference-Applied', 'Idempotent-Replayed'],
          contentOf(['application/json'], schemaRef('twain.bulk')),
        ),
      },
    }
  }

  #restore({ of }: Route): OperationDescription {
    return {
      id: `restore${of.name}`,
      summary: `Restore a deleted ${of.name}`,
      description:
        'Takes a delete back, with the rows that were deleted along. Whoever may delete the row may restore it. 409 with the field if a unique value is taken meanwhile.',
      parameters: [typeParameter(of, 'fields'), ...writeHeaders(of)],
      responses: {
        200: this.#row(of, 'The row is there again.', ['ETag', 'Idempotent-Replayed']),
        ...failureRefs(this.#writing(404, 412)),
      },
    }
  }

  #history({ of }: Route): OperationDescription {
    return {
      id: `list${of.name}Changes`,
      summary: `List the changes of a ${of.name}`,
      description: 'The newest first, as far as the viewer may read the row before, after and now.',
      parameters: (['history.first', 'history.after', 'history.fields', 'If-Match', 'If-None-Match'] as const).map(
        shared,
      ),
      responses: {
        200: response('The changes.', [...cacheHeaders, 'Link'], {
          'application/json': { schema: schemaRef('twain.history') },
        }),
        304: response(notModified, cacheHeaders),
        ...failureRefs(this.#reading(404)),
      },
    }
  }

  #export({ of }: Route): OperationDescription {
    return {
      id: `export${of.name}`,
      summary: `Export what belongs to a ${of.name}`,
      description: this.#isFull
        ? `The rows that access rules give to the ${of.name} as their owner, its own row first. For the ${of.name} itself and the role admin, who get of them what they may read.`
        : 'For the account itself and the role admin.',
      parameters: this.#hasDeletedRows ? [shared('deleted')] : [],
      responses: {
        200: response('The rows.', ['Content-Disposition'], { 'application/x-ndjson': { schema: exportLines } }),
        ...failureRefs(this.#reading(404)),
      },
    }
  }

  #access({ of }: Route): OperationDescription {
    return {
      id: `get${of.name}Access`,
      summary: `Explain the rights to a ${of.name}`,
      description: 'What somebody may do with the row, and which rules decide. For the role admin.',
      parameters: (['access.as', 'If-Match', 'If-None-Match'] as const).map(shared),
      responses: {
        200: response('The rights.', cacheHeaders, { 'application/json': { schema: schemaRef('twain.access') } }),
        304: response(notModified, cacheHeaders),
        ...failureRefs(this.#reading(403, 404)),
      },
    }
  }

  #message({ of }: Route): OperationDescription {
    return {
      id: `get${of.name}Message`,
      summary: 'Read the message of a delivery',
      description:
        'What the server sends for the delivery: what the owner of the webhook may see now, without what you may not see. It shows neither the secret nor a signature.',
      parameters: [],
      responses: {
        200: response('The message.', ['Cache-Control'], {
          'application/json': { schema: schemaRef('twain.message') },
        }),
        ...failureRefs(this.#reading(404)),
      },
    }
  }

  #revert({ of }: Route): OperationDescription {
    return {
      id: `revert${of.name}`,
      summary: `Put an earlier version of a ${of.name} back`,
      description: this.#isFull
        ? 'An update to the values of that version, with its rules and hooks. What the viewer can not read of it stays as it is. 410 if it is not kept any more.'
        : 'An update to the values of that version.',
      parameters: [typeParameter(of, 'fields'), ...writeHeaders(of)],
      body: body(['application/json'], schemaRef('twain.reversion'), { version: { value: { version: 1 } } }),
      responses: {
        200: this.#row(of, 'The row as it is now.', ['ETag', 'Idempotent-Replayed']),
        ...failureRefs(this.#writing(404, 410, 412)),
      },
    }
  }

  /** The filter, and which of its rows. */
  #bulkParameters(of: Resource | Abstract): OpenapiValue[] {
    return [
      ...(['bulk.limit', 'bulk.all', 'bulk.dryRun'] as const).map(shared),
      ...(['sort', 'where'] as const).map((word) => typeParameter(of, word)),
      shared('Idempotency-Key'),
    ]
  }

  #bulkResponses(): OpenapiObject {
    const content = contentOf(['application/json'], schemaRef('twain.bulk'))
    return {
      200: response('The rows.', ['Idempotent-Replayed'], content),
      ...failureRefs(this.#writing()),
    }
  }

  get #isFull(): boolean {
    return this.#profile === 'full'
  }

  #link({ of, field }: LinkRoute): OperationDescription {
    return {
      id: `link${capital(field.name)}Of${of.name}`,
      summary: `Link one of ${field.name} to a ${of.name}`,
      description: 'Adds the link. Repeating the request changes nothing.',
      parameters: writeHeaders(of),
      responses: { 204: response('The link exists.', ['Idempotent-Replayed']), ...failureRefs(this.#bare()) },
    }
  }

  #unlink({ of, field }: LinkRoute): OperationDescription {
    return {
      id: `unlink${capital(field.name)}Of${of.name}`,
      summary: `Unlink one of ${field.name} from a ${of.name}`,
      description: 'Removes the link; both rows stay.',
      parameters: writeHeaders(of),
      responses: { 204: response('The link does not exist.', ['Idempotent-Replayed']), ...failureRefs(this.#bare()) },
    }
  }

  #row(of: Resource | Abstract, description: string, headers: readonly HeaderName[]): OpenapiObject {
    return response(description, headers, contentOf(rowTypes, rowContent(of), this.#example(of.name)))
  }

  #oneOrSeveral(of: Resource | Abstract, row: OpenapiObject): OpenapiObject {
    const { bulk } = this.#limits
    const bounds = { minItems: 1, maxItems: bulk === 0 ? undefined : bulk }
    return { oneOf: [inXml(of, row), rowList(of, row, bounds)] }
  }

  /** A token is optional, but required if the rules grant nothing to anonymous viewers. */
  #security(of: Resource | Abstract, required: readonly Action[]): OpenapiValue {
    const closed = membersOf(of).every(({ name }) =>
      required.every((action) => this.#tokenRequired.has(`${name} ${action}`)),
    )
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

  /** For operations without a request body and a response body. */
  #bare(): FailureStatus[] {
    return [400, 401, 404, 409, 412, 422, ...commonFailures, ...this.#ruled]
  }

  get #ruled(): FailureStatus[] {
    return this.#hasRules ? [403] : []
  }

  /** References to those of these examples that exist. */
  #example(...names: string[]): OpenapiObject | undefined {
    const there = names.filter((name) => this.#examples.has(name))
    if (there.length === 0) return undefined
    return Object.fromEntries(there.map((name) => [name, { $ref: `#/components/examples/${name}` }]))
  }
}

/** What distinguishes the operations of a path with a key from those of a path with an id. */
function keyNames(route: Route): { id: string; summary: string } {
  const by = 'by' in route ? (route.by ?? []) : []
  if (by.length === 0) return { id: '', summary: '' }
  const names = by.map(({ field }) => field.name)
  return { id: `By${names.map(capital).join('And')}`, summary: ` by ${names.join(' and ')}` }
}

/** The schema of the body of a PUT. */
function replaceName(route: Route): string {
  const by = 'by' in route ? (route.by ?? []) : []
  if (by.length === 0 || route.of.kind !== 'resource') return `${route.of.name}.replace`
  return replaceByKeyName(
    route.of,
    by.map(({ field }) => field),
  )
}

/** A row by its key has a path by its id too. */
function contentLocation(route: Route): HeaderName[] {
  return keyNames(route).id === '' ? [] : ['Content-Location']
}

const actions: Record<DescribedMethod, readonly Action[]> = {
  GET: ['READ'],
  POST: ['CREATE'],
  PUT: ['CREATE', 'UPDATE'],
  PATCH: ['UPDATE'],
  DELETE: ['DELETE'],
}

function actionsOf(method: DescribedMethod, route: Route): readonly Action[] {
  if (route.kind === 'link') return ['UPDATE']
  if (route.kind !== 'item' || method !== 'POST') return actions[method]
  return route.action === 'revert' ? ['UPDATE'] : ['DELETE']
}

/** Of a delete of the own account. */
const confirmation: OpenapiObject = {
  required: false,
  description: 'To delete your own account later than five minutes after a sign-in.',
  content: contentOf(['application/json'], {
    type: 'object',
    properties: { currentPassword: { type: 'string', format: 'password', maxLength: 256, writeOnly: true } },
    additionalProperties: false,
  }),
}

const exportLines: OpenapiObject = {
  type: 'string',
  description: 'A row on each line, with its type in `_type`. A file has its address.',
  'x-itemSchema': {
    type: 'object',
    properties: { _type: { type: 'string' }, id: { type: 'string' } },
    required: ['_type', 'id'],
  },
}

const exampleDelivery = 'msg_3q2-7wABCDEFGHIJKLMNOPQ'

function isSoftDeleted(of: Resource | Abstract): boolean {
  return of.kind === 'resource' && of.softDelete !== undefined
}

function isOfServer(of: Resource | Abstract): of is Resource {
  return of.kind === 'resource' && of.system !== undefined
}

function pageSizeNote(of: Resource | Abstract): string | null {
  const size = isOfServer(of) ? of.system?.pageSize : undefined
  return size === undefined ? null : `A page has ${size} rows by default.`
}

const aboutLists: Readonly<Record<OpenapiProfile, readonly string[]>> = {
  clients: ['`Link` has the next page.'],
  full: [
    'Every other parameter is a filter; all filters must match. A filter can follow references and lists with dots: `author.name[contains]=A`.',
    'The response is an array, or with `first` or `after` a page with cursors.',
  ],
}

const cacheHeaders: readonly HeaderName[] = ['ETag', 'Cache-Control', 'Vary']
const pageHeaders: readonly HeaderName[] = [...cacheHeaders, 'Link', 'X-Total-Count', 'Preference-Applied']
const notModified = 'The client has the current representation.'

type LinkRoute = Extract<Route, { kind: 'link' }>

function pathOf(route: Route, operation: (method: DescribedMethod) => OpenapiObject): OpenapiObject {
  const operations = describedMethods
    .filter((method) => route.methods.includes(method) && !('own' in route && route.own?.includes(method)))
    .map((method) => [method.toLowerCase(), operation(method)])
  const id = route.kind === 'collection' ? [] : route.by === undefined ? [shared('id')] : keyParameters(route.by)
  const parameters = route.kind === 'link' ? [...id, linkedIdParameter(route.field)] : id
  return { parameters: parameters.length === 0 ? undefined : parameters, ...Object.fromEntries(operations) }
}

function tagOf(route: Route): string {
  return route.kind === 'nested' ? route.field.owner.name : route.of.name
}

/** Whether rows of the type have an update time (R63). */
function hasUpdateTime(of: Resource | Abstract): boolean {
  return [...of.fields.values()].some((field) => field.kind === 'stored' && field.auto === 'UPDATE_TIME')
}

function lastModified(of: Resource | Abstract): HeaderName[] {
  return hasUpdateTime(of) ? ['Last-Modified'] : []
}

/** Custom code of computed fields may fail. */
function failedFieldsHeader({ computed }: Resource | Abstract): HeaderName[] {
  return computed.size > 0 ? ['X-Failed-Fields'] : []
}

function conditions(of: Resource | Abstract, byTag: SharedParameter[], byTime: SharedParameter[]): OpenapiObject[] {
  return [...byTag, ...(hasUpdateTime(of) ? byTime : [])].map(shared)
}

/** A field called `timeZone` has a filter of this name. */
function groupParameters(of: Resource | Abstract): OpenapiObject[] {
  return [shared('groupBy'), ...(of.fields.has('timeZone') ? [] : [shared('timeZone')])]
}

function writeHeaders(of: Resource | Abstract): OpenapiObject[] {
  return [
    ...conditions(of, ['write.If-Match', 'write.If-None-Match'], ['If-Unmodified-Since']),
    shared('Idempotency-Key'),
  ]
}

function inXml({ single }: Resource | Abstract, schema: OpenapiObject): OpenapiObject {
  return { ...schema, xml: { name: single } }
}

function typeParameter({ name }: Resource | Abstract, word: 'fields' | 'sort' | 'where' | 'search'): OpenapiObject {
  return parameterRef(`${name}.${word}`)
}

function shared(name: SharedParameter): OpenapiObject {
  return parameterRef(name)
}

function body(types: readonly string[], schema: OpenapiObject, examples: OpenapiObject | undefined): OpenapiObject {
  return { required: true, content: contentOf(types, schema, examples) }
}

/** Sorts the responses by status. */
function inOrder(responses: OpenapiObject): OpenapiObject {
  return Object.fromEntries(Object.entries(responses).sort(([a], [b]) => Number(a) - Number(b)))
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}
