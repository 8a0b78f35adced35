// `twain check`: checks a schema file, prints who may do what (--access), or compares it with another schema (--against).

import { didYouMean } from '#base'
import { CodeRejected } from '#code'
import { readCodedSchema, SchemaRejected } from '#main'
import { type Model, servedResources } from '#model'
import { compareModels } from '#model/compare'
import { claimShape } from '#plan'
import { accessMatrix, callMatrix, type ViewerKind, viewerKinds } from '#plan/explain'
import { describeLastUse, StartRefused } from '#store'
import { compareSchemas } from '../compare/compare-schemas.ts'
import { previousSchema } from '../compare/previous-schema.ts'
import { NotComparable } from '../compare/running-schema.ts'
import { accessReport } from '../report/access-report.ts'
import {
  exitCode,
  forGithub,
  forPeople,
  forPrograms,
  mistakesForGithub,
  mistakesForPrograms,
} from '../report/change-report.ts'
import { explain } from '../report/explain-error.ts'
import { createPaint } from '../report/paint.ts'
import type { Terminal } from '../report/terminal.ts'
import { warningLines, warningsOf } from '../report/warnings.ts'
import type { CommandLine } from '../settings/command-line.ts'
import { readConfigFile } from '../settings/config-file.ts'
import { readSettings } from '../settings/settings.ts'

type CheckCommandLine = Pick<CommandLine & { kind: 'run' }, 'file' | 'options'>

/** Returns the exit code: 0 the file is valid, 1 it would break clients of the compared schema, 2 the file or the command
 *  line has mistakes. */
export async function check({ file, options }: CheckCommandLine, surface: Terminal): Promise<number> {
  const as = options.get('as')
  const against = options.get('against')
  if (as !== undefined && !options.has('access')) return misused('--as needs --access.', surface)
  if (options.has('system') && !options.has('access')) return misused('--system needs --access.', surface)
  if (against !== undefined && options.has('access')) {
    return misused('--access and --against cannot be combined.', surface)
  }
  if (options.has('json') && options.has('github')) return misused('--json and --github cannot be combined.', surface)
  const model = await modelOf(file, options, surface)
  if (model === null) return 2
  if (against !== undefined) return compare(model, against, { file, options }, surface)
  if (!options.has('access')) {
    surface.out(fine(file, model, options))
    return 0
  }
  const kinds = as === undefined ? viewerKinds(model) : kindCalled(as, model)
  if (typeof kinds === 'string') return misused(kinds, surface)
  const resources = options.has('system') ? servedResources(model) : [...model.resources, ...model.views]
  const rows = [...accessMatrix(model, kinds, resources), ...callMatrix(model, kinds)]
  surface.out(accessReport(rows, createPaint(surface.colours.out)))
  return 0
}

function fine(file: string, model: Model, options: CheckCommandLine['options']): string {
  if (options.has('json')) return mistakesForPrograms(file, [], warningsOf(model))
  const count = model.resources.length
  const sentence = `${file} is fine: ${count === 1 ? '1 resource' : `${count} resources`}.\n`
  if (options.has('github')) return sentence + mistakesForGithub(warningsOf(model), 'warning')
  return sentence + linesOf(model)
}

function linesOf(model: Model): string {
  return warningLines(model)
    .map((line) => `${line}\n`)
    .join('')
}

async function modelOf(file: string, options: CheckCommandLine['options'], surface: Terminal): Promise<Model | null> {
  try {
    const { model } = await readCodedSchema(file)
    const mistakes: string[] = []
    readSettings({ flags: new Map(), env: {}, config: await readConfigFile(file, mistakes) }, mistakes)
    if (mistakes.length > 0) throw new CodeRejected(mistakes)
    return model
  } catch (error) {
    if (!(error instanceof SchemaRejected || error instanceof CodeRejected)) throw error
    const mistakes =
      error instanceof SchemaRejected
        ? error.mistakes
        : error.mistakes.map((message) => ({ file, line: 1, column: 1, message, hint: null }))
    if (options.has('json')) surface.out(mistakesForPrograms(file, mistakes))
    else if (options.has('github')) surface.out(mistakesForGithub(mistakes))
    surface.err(explain(error, surface.colours.err))
    return null
  }
}

async function compare(
  after: Model,
  against: string,
  { file, options }: CheckCommandLine,
  surface: Terminal,
): Promise<number> {
  try {
    const previous = await previousSchema(against, file, options.get('token'))
    const differences =
      previous.kind === 'model' ? compareModels(previous.model, after) : compareSchemas(previous.schema, after)
    const used = (path: string) =>
      previous.kind === 'model' && previous.uses !== null ? describeLastUse(path, previous.uses, previous.model) : ''
    if (previous.kind === 'schema') surface.err(`${onlySchema}\n`)
    const report = { file, against: withoutPassword(against), after, differences, warnings: warningsOf(after), used }
    if (options.has('json')) surface.out(forPrograms(report))
    else if (options.has('github')) surface.out(forGithub(report))
    else surface.out(forPeople(report, createPaint(surface.colours.out)) + linesOf(after))
    return exitCode(differences)
  } catch (error) {
    if (error instanceof NotComparable) return misused(error.message, surface)
    if (!(error instanceof SchemaRejected || error instanceof StartRefused)) throw error
    surface.err(explain(error, surface.colours.err))
    return 2
  }
}

const onlySchema =
  'Only the GraphQL schema from introspection was compared, not paths, rules, constraints and rows. Use --token with a token of role admin to compare everything.'

function withoutPassword(against: string): string {
  return against.replace(/^(postgres(?:ql)?:\/\/)[^@/]*@/, '$1')
}

/** The viewer that --as names (several roles separated by commas), or the mistake in it. */
function kindCalled(name: string, model: Model): ViewerKind[] | string {
  const kinds = viewerKinds(model)
  const found = kinds.find((kind) => kind.name === name)
  if (found !== undefined) return [found]
  const names = kinds.map((kind) => kind.name)
  if (!/^(?:role|claim):/.test(name))
    return `--as must be one of ${names.join(', ')}, not "${name}".${didYouMean(name, names)}`
  const { roles, claims } = partsOf(name)
  const unknownRole = roles.find((role) => role !== 'admin' && !names.includes(`role:${role}`))
  if (unknownRole !== undefined) {
    return `No rule names the role "${unknownRole}".${didYouMean(`role:${unknownRole}`, names)}`
  }
  const unknownClaim = Object.keys(claims).find((claim) => !names.includes(`claim:${claim}`))
  if (unknownClaim !== undefined) {
    return `No rule names the claim "${unknownClaim}".${didYouMean(`claim:${unknownClaim}`, names)}`
  }
  const values = Object.entries(claims).map(([claim, text]) => [claim, claimFrom(text, claim, model)])
  return [{ name, signedIn: model.account !== null, roles, claims: Object.fromEntries(values) }]
}

/** `role:editor,admin,claim:org_id=7`: a part without a kind has that of the part before it. */
function partsOf(name: string): { roles: string[]; claims: Record<string, string | null> } {
  const roles: string[] = []
  const claims: Record<string, string | null> = {}
  let kind = ''
  for (const part of name.split(',')) {
    const [, written, rest = part] = /^(role|claim):(.*)$/s.exec(part) ?? []
    kind = written ?? kind
    const [claim, ...value] = rest.split('=')
    if (kind === 'role') roles.push(rest)
    else claims[claim!] = value.length === 0 ? null : value.join('=')
  }
  return { roles, claims }
}

/** A text if the claim is compared with texts; else the JSON that it spells. Null: any value that fits. */
function claimFrom(text: string | null, claim: string, { claims }: Model): unknown {
  if (text === null) return null
  const uses = claims.filter(({ name }) => name === claim)
  const fits = (value: unknown) => {
    const viewer = { values: { [claim]: value }, key: '' }
    return uses.some(({ type }) => claimShape(claim, type, viewer) !== 'none')
  }
  return fits(text) ? text : parseJson(text)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function misused(sentence: string, surface: Terminal): number {
  surface.err(`${createPaint(surface.colours.err).red('error')} ${sentence}\n\nSee twain check --help.\n`)
  return 2
}
