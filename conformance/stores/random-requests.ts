// Random requests through either API, in any media type: more than 40 of 100 write, with every method, with preconditions that hold or
// not and repeated idempotency keys, and some are invalid.

import type { Abstract, Field, Resource } from '../../packages/twain/src/model/index.ts'
import type { Random } from '../fuzz/random.ts'
import type { KnownIds } from './known-ids.ts'
import { drawField, drawRow, drawTarget, type Input, toXml } from './random-input.ts'
import { drawOrder, drawWhere } from './random-where.ts'
import type { PairAnswer, PairRequest } from './store-pair.ts'

export interface RandomRequest {
  call: PairRequest
  isWrite: boolean
  /** Learns from the answer. */
  learn(answer: PairAnswer): void
}

const json = { 'content-type': 'application/json' }

export function drawRequest(random: Random, known: KnownIds): RandomRequest {
  const of = drawType(random, known)
  const isWrite = random.chance(0.6)
  if (random.chance(0.4)) return isWrite ? mutation(random, known) : query(random, known)
  if (isWrite) return restWrite(random, known, of)
  return restRead(random, known, random.chance(0.8) ? of : random.one([...known.model.abstracts, of]))
}

/** A type with more fields is chosen more often. */
function drawType(random: Random, { model }: KnownIds): Resource {
  return random.one(model.resources.flatMap(({ fields }) => [...fields.values()])).owner
}

function restWrite(random: Random, known: KnownIds, of: Resource): RandomRequest {
  const id = random.chance(0.95) ? known.id(of, random) : `new-${random.between(1, 9)}`
  const item = `/${of.path}/${id}`
  const write = (method: string, path: string, options: Partial<PairRequest> = {}): RandomRequest => {
    const keyHeader = random.chance(0.15) ? { 'idempotency-key': `key-${random.between(1, 12)}` } : {}
    const headers = { ...options.headers, ...keyHeader, ...(method === 'POST' ? {} : condition(random, known, of, id)) }
    const fields = random.chance(0.1) && method !== 'DELETE' ? '?fields=id,_version' : ''
    const learnFrom = (answer: PairAnswer) => {
      if (path === item && (answer.status === 404 || (method === 'DELETE' && answer.status === 204))) known.miss(of, id)
      else if (path === item || path === `/${of.path}`) known.learnRest(of, answer)
    }
    return {
      call: { api: 'rest', method, path: `${path}${fields}`, ...options, headers },
      isWrite: true,
      learn: learnFrom,
    }
  }
  switch (random.between(0, 9)) {
    case 0:
    case 1:
      return write('POST', `/${of.path}`, body(random, of, drawRow(random, known, of, true)))
    case 2: {
      const rows = Array.from({ length: random.between(1, 3) }, () => drawRow(random, known, of, true))
      return write('POST', `/${of.path}`, body(random, of, rows))
    }
    case 3: {
      const list = random.one(fieldsOf(of, 'many', 'links') as (Field | undefined)[])
      if (list?.kind === 'links') {
        const other = drawTarget(random, known, list.to)
        return write(random.one(['PUT', 'DELETE']), `${item}/${kebab(list.name)}/${other}`)
      }
      if (list?.kind !== 'many') return write('DELETE', item)
      return write('POST', `${item}/${kebab(list.name)}`, body(random, list.to, drawRow(random, known, list.to, true)))
    }
    case 4:
    case 5:
      return write('PUT', item, body(random, of, drawRow(random, known, of, true)))
    case 6:
    case 7:
      return write('PATCH', item, { headers: json, body: JSON.stringify(drawRow(random, known, of, false)) })
    case 8: {
      const headers = { 'content-type': 'application/json-patch+json' }
      return write('PATCH', item, { headers, body: JSON.stringify(drawPatch(random, known, of)) })
    }
    default:
      return write('DELETE', item)
  }
}

/** As JSON, or as XML. */
function body(random: Random, of: Resource, input: Input | Input[]): Pick<PairRequest, 'headers' | 'body'> {
  if (random.chance(0.8)) return { headers: json, body: JSON.stringify(input) }
  const headers: Record<string, string> = { 'content-type': 'application/xml' }
  if (random.chance(0.5)) headers.accept = 'application/xml'
  return { headers, body: toXml(of, input) }
}

/** The last known version, the one before it, or any. */
function condition(random: Random, known: KnownIds, of: Resource, id: string): Record<string, string> {
  const version = known.version(of, id)
  const name = random.one(['if-match', 'if-none-match'])
  if (random.chance(0.65)) return {}
  if (random.chance(0.5)) return { 'if-match': `"${version}"` }
  return { [name]: random.one([`"${version - 1}"`, `"${version}", "${version + 1}"`, '*', 'W/"1"', 'wrong']) }
}

function drawPatch(random: Random, known: KnownIds, of: Resource): unknown[] {
  const fields = [...of.fields.values()]
  return Array.from({ length: random.between(1, 3) }, () => {
    const field = random.one(fields)
    const path = random.chance(0.05) ? '/no/such/place' : `/${field.name}`
    const op = random.one(['add', 'replace', 'replace', 'remove', 'test', 'copy', 'move'])
    const value = drawField(random, known, field, false) ?? null
    return { op, path, ...(op === 'copy' || op === 'move' ? { from: `/${random.one(fields).name}` } : { value }) }
  })
}

function restRead(random: Random, known: KnownIds, of: Resource | Abstract): RandomRequest {
  const isItem = of.kind === 'resource' && random.chance(0.3)
  const id = of.kind === 'resource' ? known.id(of, random) : ''
  const list = random.one(fieldsOf(of, 'many', 'links') as (Field | undefined)[])
  const isNested = !isItem && of.kind === 'resource' && list !== undefined && random.chance(0.3)
  const rows = isNested ? (list as Field & { kind: 'many' | 'links' }).to : of
  const place = isItem ? `/${of.path}/${id}` : isNested ? `/${of.path}/${id}/${kebab(list.name)}` : `/${of.path}`
  const parameters = isItem ? '' : collectionParameters(random, known, rows)
  const headers: Record<string, string> = {}
  const media = isItem ? ['application/xml'] : ['application/xml', 'text/csv', 'application/x-ndjson']
  if (random.chance(0.25)) headers.accept = random.one(media)
  if (!isItem && random.chance(0.5)) headers.prefer = 'count=exact'
  const call: PairRequest = { api: 'rest', method: 'GET', path: `${place}${parameters}`, headers }
  return {
    call,
    isWrite: false,
    learn: (answer) => (isItem && of.kind === 'resource' ? known.learnRest(of, answer) : {}),
  }
}

function collectionParameters(random: Random, known: KnownIds, of: Resource | Abstract): string {
  const output = new URLSearchParams()
  if (random.chance(0.7)) output.set('where', JSON.stringify(drawWhere(random, known, of)))
  if (random.chance(0.1)) output.set('search', random.one(['a', 'bc', 'A b', 'é', 'o hara', '1']))
  const order = drawOrder(random, of)
  if (order.length > 0)
    output.set('sort', order.map(([path, isDown]) => `${isDown ? '-' : ''}${path.join('.')}`).join(','))
  if (random.chance(0.03)) output.set('sort', 'nothing')
  if (random.chance(0.3)) output.set('first', String(random.between(1, 4)))
  else if (random.chance(0.4)) {
    output.set('limit', String(random.between(0, 5)))
    output.set('offset', String(random.between(0, 3)))
  }
  return output.size === 0 ? '' : `?${output}`
}

/** One to three writes in order. */
function mutation(random: Random, known: KnownIds): RandomRequest {
  const parts = Array.from({ length: random.between(1, 3) }, (_, at) => mutationPart(random, known, `w${at}`))
  const declared = parts.flatMap((part) => part.declared)
  const fields = parts.map(({ text }) => text).join(' ')
  const variables = Object.assign({}, ...parts.map((part) => part.variables)) as Input
  return graphql(
    `mutation${declared.length > 0 ? ` (${declared.join(', ')})` : ''} { ${fields} }`,
    variables,
    (data) => {
      for (const [at, { of, id }] of parts.entries()) {
        const answer = data[`w${at}`] as { success?: boolean } | null
        if (answer?.success === true) known.miss(of, id)
        else known.hearGraphql(of, answer)
      }
    },
  )
}

function mutationPart(random: Random, known: KnownIds, alias: string) {
  const of = drawType(random, known)
  const id = known.id(of, random)
  const version = known.version(of, id)
  const [input, condition] = [`$${alias}input`, `$${alias}version`]
  const picked = `{ ${selection(of)} _version }`
  const ifVersion = random.chance(0.3) ? { [`${alias}version`]: random.one([version, version, version - 1]) } : {}
  const isAsked = `${alias}version` in ifVersion
  const more = isAsked ? `, ifVersion: ${condition}` : ''
  const alsoDeclared = isAsked ? [`${condition}: Int`] : []
  const row = (isWhole: boolean) => ({ [`${alias}input`]: drawRow(random, known, of, isWhole), ...ifVersion })
  switch (random.one(['create', 'creates', 'replace', 'update', 'update', 'delete'])) {
    case 'create': {
      const text = `${alias}: create${of.name}(input: ${input}) ${picked}`
      return {
        of,
        id,
        text,
        declared: [`${input}: Create${of.name}Input!`],
        variables: { [`${alias}input`]: drawRow(random, known, of, true) },
      }
    }
    case 'creates': {
      const rows = Array.from({ length: random.between(1, 3) }, () => drawRow(random, known, of, true))
      const text = `${alias}: create${capital(of.list)}(inputs: ${input}) ${picked}`
      return { of, id, text, declared: [`${input}: [Create${of.name}Input!]!`], variables: { [`${alias}input`]: rows } }
    }
    case 'replace': {
      const text = `${alias}: replace${of.name}(id: "${id}", input: ${input}${more}) ${picked}`
      return { of, id, text, declared: [`${input}: Create${of.name}Input!`, ...alsoDeclared], variables: row(true) }
    }
    case 'update': {
      const text = `${alias}: update${of.name}(id: "${id}", input: ${input}${more}) ${picked}`
      return { of, id, text, declared: [`${input}: Update${of.name}Input!`, ...alsoDeclared], variables: row(false) }
    }
    default: {
      const text = `${alias}: delete${of.name}(id: "${id}"${more}) { success message }`
      return { of, id, text, declared: alsoDeclared, variables: ifVersion }
    }
  }
}

function query(random: Random, known: KnownIds): RandomRequest {
  const of = random.chance(0.2)
    ? random.one([...known.model.resources, ...known.model.abstracts])
    : drawType(random, known)
  if (of.kind === 'resource' && random.chance(0.3)) {
    const text = `{ row: ${of.single}(id: "${known.id(of, random)}") { ${selection(of)} _version } }`
    return graphql(text, {}, (data) => known.hearGraphql(of, data.row), false)
  }
  const where = random.chance(0.7) ? drawWhere(random, known, of) : null
  const orderBy = drawOrder(random, of).map(([path, isDown]) =>
    path.reduceRight<unknown>(
      (inner, name) => ({ [name === '_count' ? 'count' : name]: inner }),
      isDown ? 'DESC' : 'ASC',
    ),
  )
  const declared = `$where: ${of.name}Where, $orderBy: [${of.name}Order!]`
  const text = random.chance(0.6)
    ? `query (${declared}) { rows: ${of.list}(where: $where, orderBy: $orderBy, limit: ${random.between(1, 9)}) { ${selection(of)} } }`
    : `query (${declared}) { page: ${of.list}Connection(where: $where, orderBy: $orderBy, first: ${random.between(1, 4)}) {
        totalCount edges { cursor node { ${selection(of)} } } pageInfo { hasNextPage endCursor } } }`
  return graphql(text, { where, orderBy }, () => {}, false)
}

function graphql(
  text: string,
  variables: Input,
  learnFrom: (data: Record<string, unknown>) => void,
  isWrite = true,
): RandomRequest {
  const sent = JSON.stringify({ query: text, variables })
  const call: PairRequest = { api: 'graphql', method: 'POST', path: '/graphql', headers: json, body: sent }
  return {
    call,
    isWrite,
    learn(answer) {
      const { data } = JSON.parse(answer.text) as { data?: Record<string, unknown> | null }
      if (data) learnFrom(data)
    },
  }
}

/** All fields of the row, the ids of its references, and a few rows of each list. */
function selection(of: Resource | Abstract): string {
  if (of.kind === 'abstract' && of.form === 'union') return idsOf(of)
  return [...of.fields.values()].map(selectionOf).join(' ')
}

function selectionOf(field: Field): string {
  if (field.kind === 'many' || field.kind === 'links') return `${field.name}(limit: 3) { ${idsOf(field.to)} }`
  if (field.kind !== 'stored') return `${field.name} { ${idsOf(field.to)} }`
  const type = field.type.kind === 'list' ? field.type.of : field.type
  return type.kind === 'value' ? `${field.name} { ${[...type.value.fields.keys()].join(' ')} }` : field.name
}

function idsOf(of: Resource | Abstract): string {
  if (of.kind === 'resource') return 'id'
  return ['__typename', ...of.members.map(({ name }) => `... on ${name} { id }`)].join(' ')
}

function fieldsOf(of: Resource | Abstract, ...kinds: Field['kind'][]): Field[] {
  return [...of.fields.values()].filter(({ kind }) => kinds.includes(kind))
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function capital(name: string): string {
  return `${name[0]!.toUpperCase()}${name.slice(1)}`
}
