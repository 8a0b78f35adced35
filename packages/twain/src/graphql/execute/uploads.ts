// The files of one multipart request. The request stores them as they arrive; a write or a custom operation that takes a
// file gets the id of its row. At the end the request deletes the files that nothing uses.

import { isRecord, type Problem, validationError } from '#base'
import type { IdempotencyKey, Viewer } from '#base/http'
import { type Files, type MultipartPart, ReceivedFile } from '#files'
import { containsUpload, isFile, type StoredType, type ValueType } from '#model'
import { type BoundPlan, type BulkWrite, type CustomCall, setFields, type WriteBatch, type WritePlan } from '#plan'

export class Uploads {
  readonly #files: Files
  readonly #viewer: Viewer
  readonly #client: string
  readonly #received: ReceivedFile[] = []
  /** The files that a row or a custom operation uses. */
  readonly #used = new Set<ReceivedFile>()

  constructor(files: Files, viewer: Viewer, client: string) {
    this.#files = files
    this.#client = client
    this.#viewer = viewer
  }

  async receive(part: MultipartPart & { kind: 'file' }): Promise<ReceivedFile> {
    const file = await this.#files.receive({ ...part, name: part.fileName, client: this.#client })
    this.#received.push(file)
    return file
  }

  /** Creates the row of the file and returns its id. */
  store(file: ReceivedFile): Promise<string> {
    return this.#files.save(file, this.#viewer)
  }

  /** The same with an idempotency key. `replayed`: an earlier request with this key created the row. */
  storeIdempotently(file: ReceivedFile, key: IdempotencyKey): Promise<{ id: string; replayed: boolean }> {
    return this.#files.saveIdempotent(file, this.#viewer, key)
  }

  markUsed(files: Iterable<ReceivedFile>): void {
    for (const file of files) this.#used.add(file)
  }

  /** Stores the files among the plan's values and puts their ids in their places. */
  async storeAll<P extends WritePlan | WriteBatch | BulkWrite | CustomCall>(
    boundPlan: BoundPlan<P>,
  ): Promise<{ boundPlan: BoundPlan<P>; files: ReceivedFile[] }> {
    const values = [...boundPlan.values]
    const files: ReceivedFile[] = []
    for (const { index, type } of fileParameters(boundPlan.plan))
      values[index] = await this.#storeEach(values[index], type, files)
    const stored = { ...boundPlan, values }
    expectNoFile(stored)
    return { boundPlan: stored, files }
  }

  /** The value has the form that the client sent: it is not checked yet. A file in another place stays, and is refused. */
  async #storeEach(value: unknown, type: StoredType, files: ReceivedFile[]): Promise<unknown> {
    if (type.kind === 'list') {
      if (!Array.isArray(value)) return this.#storeEach(value, type.of, files) // a single value is a list of one
      return Promise.all(value.map((item) => this.#storeEach(item, type.of, files)))
    }
    if (type.kind === 'value') return this.#storeMembers(value, type.value, files)
    if (!(value instanceof ReceivedFile) || !containsUpload(type)) return value
    files.push(value)
    return this.store(value)
  }

  async #storeMembers(value: unknown, { fields }: ValueType, files: ReceivedFile[]): Promise<unknown> {
    if (value instanceof ReceivedFile || !isRecord(value)) return value
    const members = Object.entries(value).map(async ([name, member]) => {
      const type = fields.get(name)?.type
      return [name, type === undefined ? member : await this.#storeEach(member, type, files)] as const
    })
    return Object.fromEntries(await Promise.all(members))
  }

  /** Runs when the request ends, also after an error. */
  async release(): Promise<void> {
    for (const file of this.#received) await this.#files.release(file, this.#used.has(file))
  }
}

/** The same writes with a placeholder id for each file, so that they can be checked before the files are stored. */
export function withPlaceholderIds<P extends WritePlan | WriteBatch | BulkWrite>(
  boundPlan: BoundPlan<P>,
): BoundPlan<P> {
  const values = [...boundPlan.values]
  const toId = (value: unknown): unknown => (value instanceof ReceivedFile ? 'received' : value)
  for (const { index } of fileParameters(boundPlan.plan)) {
    const value = values[index]
    values[index] = Array.isArray(value) ? value.map(toId) : toId(value)
  }
  return { ...boundPlan, values }
}

/** The parameters that can be files or have files in them. */
function fileParameters(plan: WritePlan | WriteBatch | BulkWrite | CustomCall): { index: number; type: StoredType }[] {
  if (plan.kind === 'call') {
    const taking = plan.args.filter(({ argument }) => containsUpload(argument.type))
    return taking.map(({ parameter: { index }, argument: { type } }) => ({ index, type }))
  }
  const fields = [...setFields(writesIn(plan).flatMap(({ set }) => set))]
  return fields
    .filter(({ field }) => field.kind !== 'stored' && isFile(field.to))
    .map(({ parameter: { index } }) => ({ index, type: fileIds }))
}

function writesIn(plan: WritePlan | WriteBatch | BulkWrite): readonly WritePlan[] {
  if (plan.kind === 'batch') return plan.writes
  return plan.kind === 'bulk' ? [plan.write] : [plan]
}

/** The value of a field that refers to files. */
const fileIds: StoredType = { kind: 'list', of: { kind: 'scalar', name: 'ID', isUpload: true }, itemRequired: true }

/** Only a parameter of the type `Upload` can be a file. */
function expectNoFile({ values, places }: Pick<BoundPlan, 'values' | 'places'>): void {
  const problems: Problem[] = []
  values.forEach((value, index) => {
    if (containsFile(value)) problems.push({ path: places[index]!, code: 'TYPE', message: 'takes no file.' })
  })
  if (problems.length > 0) throw validationError(problems)
}

function containsFile(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return value instanceof ReceivedFile || Object.values(value).some(containsFile)
}
