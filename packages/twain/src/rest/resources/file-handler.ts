// `POST /files` and `GET /files/{id}`: uploads, and the bytes of a file (docs/reference/rest.md, R100–R109). This file translates to
// and from HTTP; the module files decides who may do what. `GET /files` is a list of rows like any other.

import { ApiError, andThen, type Problem, validationError } from '#base'
import {
  clientKey,
  type HttpReply,
  type HttpRequest,
  idempotencyKeyOf,
  readIdempotencyKey,
  representBytes,
  type Viewer,
} from '#base/http'
import type { Engine } from '#engine'
import { type Files, type FoundFile, type IncomingFile, isMultipart, type ReceivedFile, readMultipart } from '#files'
import { type BoundPlan, checkVariant, type ImageVariant, isUnrestricted, variantQuery } from '#plan'
import { fileHeaders, fileNameOf } from '../represent/content-disposition.ts'
import { acceptJson } from '../request/accept.ts'

export class FileHandler {
  readonly #engine: Engine
  readonly #files: Files
  /** Reads the response of an upload. */
  readonly #uploadedFilePlan: BoundPlan['plan']
  readonly #isOpen: boolean

  constructor(engine: Engine, files: Files) {
    this.#engine = engine
    this.#files = files
    this.#uploadedFilePlan = planUploadedFile(engine)
    this.#isOpen = isUnrestricted(engine.model)
  }

  async upload(request: HttpRequest, viewer: Viewer): Promise<HttpReply> {
    this.#files.admit(viewer)
    acceptJson(request)
    const { name } = parametersOf(request.query, ['name'])
    const client = clientKey(viewer, request.address)
    const received = isMultipart(request.headers['content-type'])
      ? await this.#receiveForm(request, name, client)
      : await this.#files.receive(this.#rawFile(request, name, client))
    const key = readIdempotencyKey(request.headers['idempotency-key'])
    let isUsed = false
    try {
      const { id, replayed } =
        key === null
          ? { id: await this.#files.save(received, viewer), replayed: false }
          : await this.#files.saveIdempotent(received, viewer, idempotencyKeyOf(key, viewer, 'POST /files', []))
      const answer = await this.#engine.execute(
        { plan: this.#uploadedFilePlan, values: [id], places: ['id'] },
        viewer,
        {
          isDefaultSelection: true,
        },
      )
      if (answer.kind !== 'one') throw new Error(`unexpected result of the engine: "${answer.kind}"`)
      if (answer.text === null) throw missingFile(replayed)
      isUsed = !replayed
      const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', location: `/files/${id}` }
      const replyHeaders = replayed ? { ...headers, 'idempotent-replayed': 'true' } : headers
      return { status: 201, headers: replyHeaders, body: answer.text }
    } finally {
      await this.#files.release(received, isUsed)
    }
  }

  /** The body itself is the file (R101). */
  #rawFile(request: HttpRequest, name: string | undefined, client: string): IncomingFile {
    const { headers } = request
    return {
      bytes: request.stream(this.#engine.limits.uploadBytes),
      name: name ?? fileNameOf(headers['content-disposition']),
      mediaType: headers['content-type'],
      client,
    }
  }

  /** A form with exactly one part, a file (R102). */
  async #receiveForm(request: HttpRequest, name: string | undefined, client: string): Promise<ReceivedFile> {
    const { uploadBytes, bodyBytes } = this.#engine.limits
    const found: ReceivedFile[] = []
    try {
      await readMultipart(
        request.stream(uploadBytes === 0 ? 0 : uploadBytes + 65_536),
        request.headers['content-type'] ?? '',
        { textBytes: bodyBytes, files: 1 },
        async (part) => {
          if (part.kind === 'text') throw notOneFile(`the part "${part.name}" is not a file`)
          found.push(await this.#files.receive({ ...part, name: name ?? part.fileName, client }))
        },
      )
      if (found[0] === undefined) throw notOneFile('it has none')
      return found[0]
    } catch (error) {
      for (const received of found) await this.#files.release(received, false)
      throw error
    }
  }

  /** The bytes of a file, or of a variant of the image (R109). */
  read(request: HttpRequest, id: string, viewer: Viewer): HttpReply | Promise<HttpReply> {
    const { expires, signature, ...requested } = parametersOf(request.query, [...variantNames, 'expires', 'signature'])
    const variant = this.#variantOf(requested)
    const query = variant === null ? '' : variantQuery(variant)
    const signed = expires === undefined || signature === undefined ? null : { variant: query, expires, signature }
    return andThen(this.#files.find(id, viewer, signed), (found) => {
      if (found === null) throw new ApiError('NOT_FOUND', `There is no file with the id "${id}".`)
      if (variant === null) return this.#representBytes(request, found)
      const client = clientKey(viewer, request.address)
      return this.#files.variantOf(found, variant, client).then((image) => this.#representBytes(request, image))
    })
  }

  #variantOf({ width, height, fit, format }: Partial<Record<VariantName, string>>): ImageVariant | null {
    const problems: Problem[] = []
    const requested = { width: numberOrText(width), height: numberOrText(height), fit, format }
    const variant = checkVariant(requested, '', this.#engine.limits.imageSizes ?? [], problems)
    if (problems.length > 0) throw validationError(problems)
    return variant
  }

  #representBytes(request: HttpRequest, found: FoundFile): HttpReply | Promise<HttpReply> {
    const range = { start: 0, end: 0 }
    const reply = representBytes(request, {
      size: found.size,
      etag: `"${found.hash}"`,
      headers: this.#caching(found),
      described: fileHeaders(found.name, found.mediaType),
      open: (start, end) => {
        Object.assign(range, { start, end })
        return null
      },
    })
    // A HEAD has the status of the GET.
    if (request.method === 'HEAD' && reply.status === 200) return this.#files.requireBytes(found).then(() => reply)
    if (range.end === 0) return reply
    return this.#files.open(found, range.start, range.end).then((body) => ({ ...reply, body }))
  }

  /** The bytes of a file never change, but who may read them can. */
  #caching({ signed }: FoundFile): Record<string, string> {
    if (signed) return { 'cache-control': 'private, max-age=600' }
    if (this.#isOpen) return { 'cache-control': 'public, max-age=86400, immutable' }
    return { 'cache-control': 'private, no-cache', vary: 'authorization' }
  }
}

const variantNames = ['width', 'height', 'fit', 'format'] as const
type VariantName = (typeof variantNames)[number]

function numberOrText(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : text
}

function missingFile(replayed: boolean): Error {
  if (!replayed) return new Error('an uploaded file can not be read by its uploader')
  return new ApiError('NOT_FOUND', 'The file that was created with this Idempotency-Key no longer exists.')
}

function planUploadedFile({ model }: Engine): BoundPlan['plan'] {
  const { resource } = model.file!
  const stored = [...resource.fields.values()].filter((field) => field.kind === 'stored')
  const [id, ...others] = stored.map((field) => ({ kind: 'field', key: field.name, field }) as const)
  const parameter = { index: 0, accepts: { kind: 'type', type: id!.field.type } } as const
  return { kind: 'one', of: resource, id: parameter, selections: [id!, { kind: 'url', key: 'url' }, ...others] }
}

/** Rejects unknown parameters and repeated ones. */
function parametersOf<Name extends string>(query: string, names: readonly Name[]): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {}
  for (const [name, value] of new URLSearchParams(query)) {
    const known = names.find((one) => one === name)
    if (known === undefined || found[known] !== undefined) {
      const message = known === undefined ? `is not a parameter here; there is ${names.join(', ')}.` : 'appears twice.'
      throw validationError([{ path: name, code: 'UNKNOWN', message }])
    }
    found[known] = value
  }
  return found
}

function notOneFile(reason: string): ApiError {
  return new ApiError('BAD_REQUEST', `The form must have exactly one part, a file: ${reason}.`, {
    hint: 'curl -F file=@photo.png …, or send the bytes themselves as the body.',
  })
}
