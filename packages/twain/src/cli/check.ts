// `twain check`: whether the file can be served, and with --access who may do what by it.

import { didYouMean } from '#base'
import { CodeRejected } from '#code'
import { readCodedSchema, SchemaRejected } from '#main'
import type { Model } from '#model'
import { accessMatrix, type ViewerKind, viewerKinds } from '#plan'
import { accessReport } from './access-report.ts'
import type { CommandLine } from './command-line.ts'
import { explain } from './explain.ts'
import { guessable } from './guessable.ts'
import { createPaint } from './paint.ts'
import type { Surface } from './surface.ts'

type Line = Pick<CommandLine & { kind: 'run' }, 'file' | 'options'>

/** Gives the exit code: 0 the file is fine, 2 it has mistakes, or the command line has. */
export async function check({ file, options }: Line, surface: Surface): Promise<number> {
  const as = options.get('as')
  if (as !== undefined && !options.has('access')) return misused('--as goes with --access.', surface)
  const model = await modelOf(file, surface)
  if (model === null) return 2
  if (!options.has('access')) {
    const guesses = guessable(model)
    surface.out(`${file} is fine: ${model.resources.length} resources.\n${guesses === null ? '' : `${guesses}\n`}`)
    return 0
  }
  const kinds = as === undefined ? viewerKinds(model) : kindCalled(as, model)
  if (typeof kinds === 'string') return misused(kinds, surface)
  surface.out(accessReport(accessMatrix(model, kinds), file, createPaint(surface.colours.out)))
  return 0
}

async function modelOf(file: string, surface: Surface): Promise<Model | null> {
  try {
    return (await readCodedSchema(file)).model
  } catch (error) {
    if (!(error instanceof SchemaRejected || error instanceof CodeRejected)) throw error
    surface.err(explain(error, surface.colours.err))
    return null
  }
}

/** The viewer that --as names (several roles with commas), or what is wrong with it. */
function kindCalled(name: string, model: Model): ViewerKind[] | string {
  const kinds = viewerKinds(model)
  const found = kinds.find((kind) => kind.name === name)
  if (found !== undefined) return [found]
  const names = kinds.map((kind) => kind.name)
  const roles = name.startsWith('role:') ? name.slice('role:'.length).split(',') : []
  const strange = roles.find((role) => role !== 'admin' && !names.includes(`role:${role}`))
  if (strange !== undefined) {
    return `No line names the role "${strange}".${didYouMean(`role:${strange}`, names)}`
  }
  if (roles.length > 0) return [{ name, signedIn: model.account !== null, roles }]
  return `--as takes one of ${names.join(', ')}; not "${name}".${didYouMean(name, names)}`
}

function misused(sentence: string, surface: Surface): number {
  surface.err(`${createPaint(surface.colours.err).red('error')} ${sentence}\n\nSee twain check --help.\n`)
  return 2
}
