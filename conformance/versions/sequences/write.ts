// Sends the writes of a sequence, and tells the oracle what they did. A row that is not there is nothing to write to, and no step.

import assert from 'node:assert/strict'
import { type FieldSketch, listName, type Plain, type TypeSketch } from './chain.ts'
import { answered, compareRow, flattened, type Shown } from './compare-rows.ts'
import type { VersionNode } from './node.ts'
import type { Oracle, Written } from './oracle.ts'
import { sendWrite } from './send-write.ts'
import type { SlotValues, Step } from './step.ts'

type StepOf<Kind extends Step['do']> = Extract<Step, { do: Kind }>

export async function writeRow(
  step: StepOf<'write'>,
  node: VersionNode,
  type: TypeSketch,
  oracle: Oracle,
): Promise<boolean> {
  const resolved = await resolveValues(step.values, node, type, oracle)
  if (resolved === null) return false
  const row = oracle.at(type.name, step.slot)
  const from = Date.now()
  const sent = { ...resolved.given, ...resolved.lists }
  if (row !== undefined && Object.keys(sent).length === 0) return false // a type without such fields has no update
  const newId = `${step.slot}${oracle.events.length}`
  const answer = await sendWrite(step, node, type, row, newId, sent)
  const written: Written = { ...resolved, by: { from, to: Date.now(), version: node.version } }
  const request = `${step.api} write of ${type.name} ${JSON.stringify(sent)} by version ${node.version}`
  if (step.api === 'graphql') answered(answer, 200, request)
  else answered(answer, row === undefined ? 201 : 200, request)
  const shown = flattened((step.api === 'rest' ? answer.body : Object.values(answer.body as object)[0]) as Shown)
  if (row === undefined) oracle.create(type, step.slot, String(shown.id), written)
  else oracle.change(row, written)
  const now = oracle.at(type.name, step.slot)!
  compareRow(shown, now, type, oracle, request)
  if (answer.version !== null) assert.equal(answer.version, now.version, `${request}: its version`)
  return true
}

export async function linkRow(
  step: StepOf<'link'>,
  node: VersionNode,
  type: TypeSketch,
  oracle: Oracle,
): Promise<boolean> {
  const field = type.fields.find(({ name }) => name === step.field)
  if (field?.kind !== 'links') return false
  const [row, other] = [oracle.at(type.name, step.slot), oracle.at(field.to, step.other)]
  if (row === undefined || other === undefined) return false
  const from = Date.now()
  const path = `/${listName(type)}/${row.id}/${field.name}/${other.id}`
  answered(await node.rest(step.isAdded ? 'PUT' : 'DELETE', path), 204, path)
  const had = oracle.linked(type.name, field, row.id).filter((id) => id !== other.id)
  const lists = { [field.name]: step.isAdded ? [...had, other.id] : had }
  oracle.change(row, { given: {}, lists, by: { from, to: Date.now(), version: node.version } })
  return true
}

/** What newer versions know may forbid a delete, or take part in it: then it is refused, or done as the newest version would do it. */
export async function deleteRow(
  step: StepOf<'delete'>,
  node: VersionNode,
  type: TypeSketch,
  oracle: Oracle,
): Promise<boolean> {
  const row = oracle.at(type.name, step.slot)
  if (row === undefined) return false
  const deletion = oracle.deletion(row)
  const from = Date.now()
  const answer =
    step.api === 'rest'
      ? await node.rest('DELETE', `/${listName(type)}/${row.id}`)
      : await node.graphql(`mutation ($id: ID!) { delete${type.name}(id: $id) { id } }`, { id: row.id })
  const isForbidden = deletion.forbiddenSince.length > 0
  const isRefused = answer.status === 409
  const request = `${step.api} delete of ${type.name} ${row.id} by version ${node.version}`
  if (isForbidden)
    assert.equal(
      answer.status,
      409,
      `${request}: ${answer.status} ${JSON.stringify(answer.body)}, though rows require it`,
    )
  else if (!isRefused || deletion.knownSince <= node.version) answered(answer, step.api === 'rest' ? 204 : 200, request)
  if (isForbidden || isRefused) return true
  oracle.delete(deletion, { from, to: Date.now(), version: node.version })
  return true
}

/** While the log has entries about a deleted row, nobody can take its id: its past would be theirs. */
export async function retakeRow(
  step: StepOf<'retake'>,
  node: VersionNode,
  type: TypeSketch,
  oracle: Oracle,
): Promise<boolean> {
  const id = oracle.lastDeleted(type.name)
  const resolved = await resolveValues(step.values, node, type, oracle)
  if (id === undefined || resolved === null) return false
  const sent = { ...resolved.given, ...resolved.lists }
  const answer = await sendWrite({ api: step.api, all: true }, node, type, undefined, id, sent)
  answered(answer, 410, `${step.api} write of ${type.name} ${id}, which was deleted, by version ${node.version}`)
  return true
}

/** The ids behind the slots, of fields that the version has. Null: a row that is required is not there. */
async function resolveValues(
  values: SlotValues,
  node: VersionNode,
  type: TypeSketch,
  oracle: Oracle,
): Promise<Pick<Written, 'given' | 'lists'> | null> {
  const given: Record<string, Plain> = {}
  const lists: Record<string, string[]> = {}
  for (const field of type.fields) {
    const value = values[field.name]
    if (value === undefined) continue
    if (field.kind === 'links') {
      lists[field.name] = (value as string[]).flatMap((slot) => oracle.at(field.to, slot)?.id ?? [])
    } else if (field.kind === 'files') {
      lists[field.name] = []
      for (const slot of value as string[]) lists[field.name]!.push(await fileAt(slot, node, oracle))
    } else {
      const column = await resolveColumn(field, value as Plain, node, oracle)
      if (column === undefined) return null
      given[field.name] = column
    }
  }
  return { given, lists }
}

async function resolveColumn(
  field: FieldSketch,
  value: Plain,
  node: VersionNode,
  oracle: Oracle,
): Promise<Plain | undefined> {
  if (value === null || (field.kind !== 'reference' && field.kind !== 'file')) return value
  if (field.kind === 'file') return fileAt(String(value), node, oracle)
  return oracle.at(field.to, String(value))?.id ?? (field.isRequired ? undefined : null)
}

/** Uploads it if it is not there. */
async function fileAt(slot: string, node: VersionNode, oracle: Oracle): Promise<string> {
  const known = oracle.fileAt(slot, node.version)
  if (known !== undefined) return known
  const text = `${slot} ${oracle.files.size}`
  const { id } = answered(await node.rest('POST', '/files', text), 201, 'POST /files') as { id: string }
  oracle.addFile(slot, id, text)
  return id
}
