// `twain doctor`: checks what a service needs, and says what to do about what is wrong. It changes nothing.

import { CodeRejected } from '#code'
import { type CodedSchema, planData, readCodedSchema, SchemaRejected } from '#main'
import { checkStored, StartRefused } from '#store'
import { checkDatabase } from '../doctor/check-database.ts'
import { checkDisk, checkNode, checkPort, checkPublicAddress } from '../doctor/check-machine.ts'
import { type Finding, fine, problem, warning } from '../doctor/findings.ts'
import { storageSentence } from '../report/explain-error.ts'
import { createPaint } from '../report/paint.ts'
import type { Terminal } from '../report/terminal.ts'
import type { CommandLine } from '../settings/command-line.ts'

type DoctorCommandLine = Pick<CommandLine & { kind: 'run' }, 'file' | 'options' | 'settings'>

/** Returns the exit code: 1 if something would keep the service from working. */
export async function doctor({ file, options, settings }: DoctorCommandLine, surface: Terminal): Promise<number> {
  const { database, poolSize, replicas, data, host, port } = settings
  const schema = await readSchema(file)
  const place = database === null ? [await checkDisk(data)] : await checkDatabase(database, poolSize, 'primary')
  if (options.has('deep')) place.push(...(await checkData(settings)))
  const isUsable = schema !== null && !place.some(({ kind }) => kind === 'problem')
  const findings = [
    checkNode(),
    checkSchema(file, schema),
    ...place,
    ...(isUsable ? await checkStart(schema, settings) : []),
    ...(await Promise.all(replicas.map((replica) => checkDatabase(replica, poolSize, 'replica')))).flat(),
    await checkPort(host, port),
    checkPublicAddress(settings),
  ]
  surface.out(findings.map((finding) => printFinding(finding, surface)).join(''))
  return findings.some(({ kind }) => kind === 'problem') ? 1 : 0
}

/** Null: it can't be served. */
async function readSchema(file: string): Promise<CodedSchema | null> {
  try {
    return await readCodedSchema(file)
  } catch (error) {
    if (!(error instanceof SchemaRejected || error instanceof CodeRejected)) throw error
    return null
  }
}

async function checkData(place: { data: string; database: string | null }): Promise<Finding[]> {
  const { wrong, unchecked } = await checkStored(place)
  const advice = place.database === null ? restoreFile : restoreDatabase
  return [
    ...wrong.map((text) => problem(text, advice)),
    ...(wrong.length === 0 ? [fine('The stored data is whole.')] : []),
    ...unchecked.map((text) => warning(text, 'They were not read. Check them with the tools of that storage.')),
  ]
}

const restoreFile = 'Stop the service, and restore a backup: twain restore --help.'
const restoreDatabase =
  'Stop the service, and restore a backup of the database. pg_amcheck names the tables and indexes that are damaged.'

function checkSchema(file: string, schema: CodedSchema | null): Finding {
  if (schema === null) return problem(`${file} can't be served.`, `twain check ${file} lists the mistakes.`)
  return fine(`${file} has no mistakes: ${schema.model.resources.length} types with an id.`)
}

const silent = { info() {}, warn() {}, error() {} }

/** Whether a start would refuse what is stored there, or what stands in its way. */
async function checkStart(
  schema: CodedSchema,
  { data, database }: Pick<DoctorCommandLine['settings'], 'data' | 'database'>,
): Promise<Finding[]> {
  try {
    await planData(schema, { data, database, allowBreaking: false, drop: false, log: silent })
    return []
  } catch (error) {
    const failure = storageSentence(error)
    if (failure !== null) return [problem("The stored data can't be read.", failure)]
    if (!(error instanceof StartRefused)) throw error
    return [problem('A start with this schema would be refused.', error.message)]
  }
}

const marks = { fine: '✓', warning: '!', problem: '✗' }
const colours = { fine: 'green', warning: 'yellow', problem: 'red' } as const

function printFinding({ kind, text, advice }: Finding, surface: Terminal): string {
  const paint = createPaint(surface.colours.out)
  return `${paint[colours[kind]](marks[kind])} ${text}\n${advice === undefined ? '' : `  ${advice.replaceAll('\n', '\n  ')}\n`}`
}
