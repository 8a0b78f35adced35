// A multipart request (GraphQL multipart request specification): `operations` with a null in the place of each file, `map`
// from each file to its places, then the files. They are stored as they come; what no field has taken when the request is
// over goes again.
//
// 1. Nothing is read of who may not upload, nor of a request that a page of another site could send unasked.
// 2. Places are checked before the first file is taken: they are in the variables, were there, and were null.

import {
  ApiError,
  type HttpRequest,
  type IdempotencyKey,
  type Problem,
  parseJson,
  type Viewer,
  validationError,
} from '#base'
import { type Files, isMultipart, type MultipartPart, ReceivedFile, readMultipart } from '#files'
import { isFile, type StoredType } from '#model'
import { type BoundPlan, type CustomCall, type Limits, setFields, type WriteBatch, type WritePlan } from '#plan'

const maxFiles = 10

/** A browser sends none of these to another site without asking first (product.md, section 4). */
const preflightHeaders = ['authorization', 'apollo-require-preflight', 'graphql-require-preflight', 'x-requested-with']

export function isUpload({ headers, method }: HttpRequest): boolean {
  return method === 'POST' && isMultipart(headers['content-type'])
}

/** `files` is null where the contract has none. */
export async function readUploads(
  request: HttpRequest,
  viewer: Viewer,
  files: Files | null,
  { uploadBytes: upload, bodyBytes: body }: Limits,
): Promise<Uploads> {
  const { headers } = request
  if (files === null) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'No field of the contract takes a file: send application/json.')
  }
  if (!preflightHeaders.some((name) => headers[name] !== undefined)) throw noPreflight()
  files.admit(viewer)
  const uploads = new Uploads(files, viewer)
  try {
    const stream = request.stream(upload === 0 ? 0 : upload + body)
    const limits = { text: body, files: maxFiles }
    await readMultipart(stream, headers['content-type'] ?? '', limits, (part) => uploads.take(part))
    uploads.finish()
    return uploads
  } catch (error) {
    await uploads.release()
    throw error
  }
}

/** Puts the file into its place. */
type FileSetter = (file: ReceivedFile) => void

/** The files of one request. */
export class Uploads {
  /** What is asked, with the files in their places. */
  operations: unknown
  readonly #files: Files
  readonly #viewer: Viewer
  /** Those that are still to come. */
  #places: Map<string, FileSetter[]> | null = null
  readonly #received: ReceivedFile[] = []
  /** Those that the request has put somewhere. */
  readonly #used = new Set<ReceivedFile>()

  constructor(files: Files, viewer: Viewer) {
    this.#files = files
    this.#viewer = viewer
  }

  async take(part: MultipartPart): Promise<void> {
    if (this.operations === undefined) this.operations = readJson(part, 'operations')
    else if (this.#places === null) this.#places = settersOf(readJson(part, 'map'), this.operations)
    else await this.#receive(part, this.#places)
  }

  async #receive(part: MultipartPart, places: Map<string, FileSetter[]>): Promise<void> {
    const own = places.get(part.name)
    if (part.kind === 'text' || own === undefined) {
      throw malformed(`the part "${part.name}" is no file that "map" names`)
    }
    places.delete(part.name)
    const file = await this.#files.receive({ ...part, name: part.fileName })
    this.#received.push(file)
    for (const put of own) put(file)
  }

  finish(): void {
    if (this.operations === undefined || this.#places === null) throw malformed('"operations" or "map" is missing')
    const [missing] = this.#places.keys()
    if (missing !== undefined) throw malformed(`the file "${missing}" of "map" did not come`)
  }

  /** The id of the row that the file has from now on. */
  store(file: ReceivedFile): Promise<string> {
    return this.#files.keep(file, this.#viewer)
  }

  /** The same under a key; `replayed`: it is the file that was made before. */
  storeIdempotently(file: ReceivedFile, once: IdempotencyKey): Promise<{ id: string; replayed: boolean }> {
    return this.#files.keepOnce(file, this.#viewer, once)
  }

  markUsed(files: Iterable<ReceivedFile>): void {
    for (const file of files) this.#used.add(file)
  }

  /** The same writes, or the same call, with the ids of their files; and the files. */
  async storeAll<Taking extends WritePlan | WriteBatch | CustomCall>(
    boundPlan: BoundPlan<Taking>,
  ): Promise<{ question: BoundPlan<Taking>; files: ReceivedFile[] }> {
    const values = [...boundPlan.values]
    const files: ReceivedFile[] = []
    for (const at of fileParameters(boundPlan.plan)) values[at] = await this.#storeEach(values[at], files)
    const kept = { ...boundPlan, values }
    expectNoFile(kept)
    return { question: kept, files }
  }

  async #storeEach(value: unknown, files: ReceivedFile[]): Promise<unknown> {
    if (Array.isArray(value)) return Promise.all(value.map((item) => this.#storeEach(item, files)))
    if (!(value instanceof ReceivedFile)) return value
    files.push(value)
    return this.store(value)
  }

  /** When the answer is there, whatever it is. */
  async release(): Promise<void> {
    for (const file of this.#received) await this.#files.release(file, this.#used.has(file))
  }
}

/** The same writes with an id that no file has in the place of each that has none yet: to see whether all else is right. */
export function withPlaceholderIds<Writes extends WritePlan | WriteBatch>(
  boundPlan: BoundPlan<Writes>,
): BoundPlan<Writes> {
  const values = [...boundPlan.values]
  const named = (value: unknown): unknown => (value instanceof ReceivedFile ? 'received' : value)
  for (const at of fileParameters(boundPlan.plan)) {
    const value = values[at]
    values[at] = Array.isArray(value) ? value.map(named) : named(value)
  }
  return { ...boundPlan, values }
}

/** Where the values are that may be files. */
function fileParameters(plan: WritePlan | WriteBatch | CustomCall): number[] {
  if (plan.kind === 'call') {
    return plan.args.filter(({ argument }) => takesFile(argument.type)).map(({ parameter }) => parameter.index)
  }
  const writes: readonly WritePlan[] = plan.kind === 'batch' ? plan.writes : [plan]
  const fields = [...setFields(writes.flatMap(({ set }) => set))]
  return fields
    .filter(({ field }) => field.kind !== 'stored' && isFile(field.to))
    .map(({ parameter }) => parameter.index)
}

function takesFile(type: StoredType): boolean {
  return type.kind === 'list' ? takesFile(type.of) : type.kind === 'scalar' && type.isUpload === true
}

/** Files stand where an `Upload` is taken, and nowhere else. */
function expectNoFile({ values, places }: Pick<BoundPlan, 'values' | 'places'>): void {
  const problems: Problem[] = []
  values.forEach((value, index) => {
    if (holdsFile(value)) problems.push({ path: places[index]!, code: 'TYPE', message: 'takes no file.' })
  })
  if (problems.length > 0) throw validationError(problems)
}

function holdsFile(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return value instanceof ReceivedFile || Object.values(value).some(holdsFile)
}

function readJson(part: MultipartPart, name: 'operations' | 'map'): object {
  if (part.kind !== 'text' || part.name !== name) throw malformed(`"${name}" must be the ${ordinal[name]} part`)
  const json = parseJson(part.text)
  if (!json.ok) throw malformed(`"${name}" is not JSON: ${json.message.replace(/\.$/, '')}`)
  if (typeof json.value !== 'object' || json.value === null) throw malformed(`"${name}" must be an object`)
  return json.value
}

const ordinal = { operations: 'first', map: 'second' }

function settersOf(map: object, operations: unknown): Map<string, FileSetter[]> {
  const places = new Map<string, FileSetter[]>()
  for (const [file, paths] of Object.entries(map)) {
    if (!Array.isArray(paths) || paths.length === 0) throw malformed(`"map" must give a list of places for "${file}"`)
    places.set(
      file,
      paths.map((path) => setterAt(path, operations)),
    )
  }
  if (places.size > maxFiles) throw malformed(`"map" names more than ${maxFiles} files`)
  return places
}

/** `variables.input.photos.0`. Only what the request itself wrote there is gone into. */
function setterAt(path: unknown, operations: unknown): FileSetter {
  const keys = typeof path === 'string' ? path.split('.') : []
  const last = keys.pop()
  let at: unknown = operations
  for (const key of keys) at = typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? member(at, key) : null
  const isThere = typeof at === 'object' && at !== null && last !== undefined && Object.hasOwn(at, last)
  if (!isThere || !keys.includes('variables') || last === '__proto__' || member(at as object, last) !== null) {
    throw malformed(`there is no null in the variables at ${JSON.stringify(path) ?? 'nothing'}, which "map" names`)
  }
  return (file) => {
    ;(at as Record<string, unknown>)[last] = file
  }
}

function member(of: object, key: string): unknown {
  return (of as Record<string, unknown>)[key]
}

function noPreflight(): ApiError {
  return new ApiError('BAD_REQUEST', 'A multipart request must have a header that no other site can send unasked.', {
    hint: `Send one of ${preflightHeaders.join(', ')}.`,
  })
}

function malformed(reason: string): ApiError {
  return new ApiError('BAD_REQUEST', `The multipart request can't be read: ${reason}.`)
}
