// The schema that a service serves, for the role admin: as lists for a picture, its files with the mistakes that keep the present ones
// from being served, who uses what, and what a changed text would change. Both APIs show it; this file decides.

import { ApiError, didYouMean, FairQueue, type Problem, validationError } from '#base'
import { isAdmin, type Viewer } from '#base/http'
import type { Mistake, Model, SchemaSource } from '#model'
import type { ChangeList, ListedChange } from '#model/compare'
import { isUnrestricted } from '#plan'
import { type SchemaHooks, type SchemaPicture, schemaPicture, shownFile } from '#plan/explain'
import { type ClientUse, describeLastUse, type LastUses, printLastSchema } from '#store'
import { compareTexts } from './compare-texts.ts'
import type { ComparedSources } from './compare-thread.ts'
import type { SchemaWatch } from './schema-watch.ts'

export interface SchemaInspectorOptions {
  model: Model
  sdl: string
  sources: ComparedSources
  watch: SchemaWatch
  /** Of custom code. */
  hooks: SchemaHooks
  /** Who used what, with the latest requests. */
  uses: () => Promise<LastUses>
}

export interface SchemaFiles {
  /** Whether the server notices changes of the files, as in `twain dev`. */
  watched: boolean
  files: SchemaText[]
  /** The present files, if the server can't serve them; null: it serves them. */
  pending: { files: SchemaText[]; mistakes: SchemaMistake[]; reason: string } | null
}

interface SchemaText {
  name: string
  text: string
}

interface SchemaMistake {
  file: string
  line: number
  column: number
  length: number
  message: string
  hint: string | null
}

/** What a changed text would change. */
export interface SchemaChanges {
  verdict: ChangeList['verdict'] | 'mistaken'
  differences: (ListedChange & { used: string | null })[]
  mistakes: SchemaMistake[]
}

export interface SchemaUses {
  /** The first counted day. */
  since: string | null
  uses: ({ path: string } & ClientUse)[]
}

/** Characters of a changed text. */
const maxSchemaText = 1_048_576

export class SchemaInspector {
  readonly #options: SchemaInspectorOptions
  readonly #comparing = new FairQueue({
    maxAtOnce: 1,
    maxOfClient: 4,
    maxOfAll: 20,
    message: 'Too many schemas are being compared at the moment.',
    retryAfterSeconds: 5,
  })
  #picture: SchemaPicture | null = null

  constructor(options: SchemaInspectorOptions) {
    this.#options = options
  }

  /** Throws if the viewer may not see the schema file. */
  admit(viewer: Viewer): void {
    if (isAdmin(viewer) || isUnrestricted(this.#options.model)) return
    if (!viewer.authenticated) {
      throw new ApiError('UNAUTHENTICATED', 'The schema file needs a token with the role admin.', {
        headers: { 'www-authenticate': 'Bearer' },
      })
    }
    throw new ApiError('FORBIDDEN', 'The schema file needs the role admin.', {
      hint: 'Create a token with: twain token --role admin',
    })
  }

  picture(): SchemaPicture {
    this.#picture ??= schemaPicture(this.#options.model, this.#options.hooks)
    return this.#picture
  }

  files(): SchemaFiles {
    const { sources, watch } = this.#options
    const { pending } = watch
    return {
      watched: watch.isWatched,
      files: sources.sources.map(textOf),
      pending: pending && {
        files: pending.files.map(textOf),
        mistakes: pending.mistakes.map(mistakeOf),
        reason: pending.reason,
      },
    }
  }

  async uses(): Promise<SchemaUses> {
    const { since, of } = await this.#options.uses()
    return { since, uses: [...of].flatMap(([path, { by }]) => by.map((one) => ({ path, ...one }))) }
  }

  /** The JSON of `/docs/contract`. */
  async contract(): Promise<string> {
    return printLastSchema(this.#options.sdl, await this.#options.uses())
  }

  /** `input`: `text`, and `file` if it replaces one of several files. It is only compared: nothing is read, stored or served.
   *  `placeOf` says where the request has a member. */
  async changes(
    input: Record<string, unknown>,
    viewer: Viewer,
    placeOf = (name: string) => name,
  ): Promise<SchemaChanges> {
    const { sources: before, model } = this.#options
    const after = changedSources(input, before, placeOf)
    const outcome = await this.#comparing.run(viewer.account ?? viewer.token ?? '', () =>
      compareTexts({ before, after }),
    )
    if ('mistakes' in outcome)
      return { verdict: 'mistaken', differences: [], mistakes: outcome.mistakes.map(mistakeOf) }
    const uses = await this.#options.uses()
    const differences = outcome.changes.differences.map((change) => ({
      ...change,
      file: shownFile(change.file),
      used: describeLastUse(change.path, uses, model) || null,
    }))
    return { verdict: outcome.changes.verdict, differences, mistakes: [] }
  }
}

function changedSources(
  { text, file = null, ...others }: Record<string, unknown>,
  before: ComparedSources,
  placeOf: (name: string) => string,
): ComparedSources {
  const problems: Problem[] = Object.keys(others).map((name) => ({
    path: placeOf(name),
    code: 'UNKNOWN',
    message: `is unknown.${didYouMean(name, ['text', 'file'])}`,
  }))
  if (text === undefined) problems.push({ path: placeOf('text'), code: 'REQUIRED', message: 'is required.' })
  else if (typeof text !== 'string') problems.push({ path: placeOf('text'), code: 'TYPE', message: 'must be a text.' })
  else if (text.length > maxSchemaText) {
    const message = `must have at most ${maxSchemaText} characters.`
    problems.push({ path: placeOf('text'), code: 'LENGTH', message })
  } else if (text.includes('\u0000')) {
    problems.push({ path: placeOf('text'), code: 'PATTERN', message: 'must not contain a NUL character.' })
  }
  const names = before.sources.map((source) => shownFile(source.file))
  const replaced = typeof file === 'string' ? names.indexOf(file) : null
  if (file !== null && typeof file !== 'string') {
    problems.push({ path: placeOf('file'), code: 'TYPE', message: 'must be a text.' })
  } else if (replaced === -1) {
    const message = `is no file of the schema.${didYouMean(String(file), names)}`
    problems.push({ path: placeOf('file'), code: 'UNKNOWN', message })
  }
  if (problems.length > 0) throw validationError(problems)
  if (replaced === null) return { ...before, isFolder: false, sources: [{ file: before.path, text: text as string }] }
  const sources = before.sources.map((one, index) => (index === replaced ? { ...one, text: text as string } : one))
  return { ...before, sources }
}

function textOf({ file, text }: SchemaSource): SchemaText {
  return { name: shownFile(file), text }
}

function mistakeOf({ file, line, column, length = 1, message, hint }: Mistake): SchemaMistake {
  return { file: shownFile(file), line, column, length, message, hint }
}
