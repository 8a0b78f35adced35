// Draws a chain of two or three schemas, each an additive change of the one before.

import type { Random } from '../../fuzz/random.ts'
import type { Chain, FieldSketch, Plain, ScalarSketch, TypeSketch } from './chain.ts'

const typeNames = ['Alpha', 'Beta', 'Gamma', 'Delta']
/** Words that no stemmer changes. */
export const words = ['nebula', 'quartz', 'meteor', 'cobalt', 'onyx']

type Growing = { name: string; since: number; fields: FieldSketch[] }

export function drawChain(random: Random): Chain {
  const versions = random.between(2, 3)
  const types: Growing[] = []
  for (let version = 0; version < versions; version++) {
    const before = types.length
    // Only the first version must have types; a later one may also just add fields.
    const added = version === 0 ? random.between(1, 2) : random.between(0, 1)
    for (const name of typeNames.slice(before, before + added)) types.push({ name, since: version, fields: [] })
    const additions = version === 0 ? random.between(2, 4) : random.between(2, 5)
    for (let nth = 0; nth < additions; nth++) addField(random, types, random.one(types), version, `${version}${nth}`)
    for (const type of types.slice(before)) if (version > 0 && before > 0) addOwner(random, types, type, before)
    if (version > 0) addSearch(random, types, version)
  }
  return { versions, types }
}

/** The other types can change with them, so `mark` makes the name unique. */
function addField(random: Random, types: readonly Growing[], type: Growing, since: number, mark: string): void {
  const isNewType = type.since === since
  const kind = random.one(['scalar', 'scalar', 'scalar', 'time', 'reference', 'reference', 'links', 'file', 'files'])
  switch (kind) {
    case 'scalar':
      type.fields.push(drawScalar(random, isNewType, since, `s${mark}`))
      return
    case 'time':
      type.fields.push({ kind, name: `t${mark}`, since, set: random.one(['CREATE_TIME', 'UPDATE_TIME']) })
      return
    case 'reference': {
      // A required one leads to a type that is listed before, so that rows can be created in the order of the types.
      const at = random.between(0, types.length - 1)
      const target = types[at]!
      const isRequired = isNewType && at < types.indexOf(type) && random.chance(0.5)
      const onDelete = random.one(
        isRequired ? (['RESTRICT', 'CASCADE'] as const) : (['SET_NULL', 'SET_NULL', 'CASCADE', 'RESTRICT'] as const),
      )
      type.fields.push({ kind, name: `r${mark}`, since, to: target.name, isRequired, onDelete })
      if (random.chance(0.6))
        target.fields.push({ kind: 'children', name: `c${mark}`, since, to: type.name, via: `r${mark}` })
      return
    }
    case 'links': {
      const target = random.one(types)
      const [name, back] = [`l${mark}`, `k${mark}`]
      type.fields.push({ kind, name, since, to: target.name, back, isLeft: true })
      target.fields.push({ kind, name: back, since, to: type.name, back: name, isLeft: false })
      return
    }
    case 'file':
      type.fields.push({ kind, name: `f${mark}`, since, isRequired: isNewType && random.chance(0.3) })
      return
    case 'files':
      type.fields.push({ kind, name: `g${mark}`, since })
  }
}

function drawScalar(random: Random, isNewType: boolean, since: number, name: string): ScalarSketch {
  const type = random.one(['String', 'String', 'Int', 'Boolean', 'Float'] as const)
  const isRequired = random.chance(0.5)
  const hasDefault = isRequired && !isNewType ? true : random.chance(0.3)
  const searchSince = type === 'String' && random.chance(0.6) ? since : null
  return {
    kind: 'scalar',
    name,
    since,
    type,
    isRequired,
    default: hasDefault ? drawPlain(random, type) : null,
    searchSince,
  }
}

export function drawPlain(random: Random, type: ScalarSketch['type']): Exclude<Plain, null> {
  switch (type) {
    case 'String':
      return Array.from({ length: random.between(1, 2) }, () => random.one(words)).join(' ')
    case 'Int':
      return random.between(-3, 9)
    case 'Float':
      return random.between(-8, 20) / 4
    case 'Boolean':
      return random.chance(0.5)
  }
}

/** A new type mostly requires a row of an older one. */
function addOwner(random: Random, types: readonly Growing[], type: Growing, before: number): void {
  if (random.chance(0.3)) return
  const to = types[random.between(0, before - 1)]!.name
  type.fields.push({ kind: 'reference', name: 'owner', since: type.since, to, isRequired: true, onDelete: 'RESTRICT' })
}

/** A field that existed may become searched. */
function addSearch(random: Random, types: readonly Growing[], version: number): void {
  const texts = types
    .flatMap(({ fields }) => fields)
    .filter((field) => field.kind === 'scalar' && field.type === 'String' && field.searchSince === null)
  if (texts.length === 0 || random.chance(0.7)) return
  const text = random.one(texts) as ScalarSketch
  text.searchSince = version
}

export function withoutField(chain: Chain, type: TypeSketch, field: FieldSketch): Chain {
  const gone = new Set([`${type.name}.${field.name}`])
  if (field.kind === 'links') gone.add(`${field.to}.${field.back}`)
  for (const each of chain.types) {
    for (const one of each.fields)
      if (one.kind === 'children' && gone.has(`${one.to}.${one.via}`)) gone.add(`${each.name}.${one.name}`)
  }
  const types = chain.types.map((each) => ({
    ...each,
    fields: each.fields.filter(({ name }) => !gone.has(`${each.name}.${name}`)),
  }))
  return { ...chain, types }
}
