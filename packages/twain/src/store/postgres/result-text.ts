// The text of a page that is the whole result (docs/internals/decisions/0108-pages-as-text-on-postgres.md).

import { unreachable } from '#base'
import { maxResultBytes } from '../read/read-result.ts'
import type { ConnectionMember, PageInfoMember, ResultConnection, ResultList, ResultPage } from '../sql/dialect.ts'
import { quoteText } from '../tables/quote.ts'
import { encodedKeys, withChecksum } from './cursor.ts'
import { objectBeside } from './json-objects.ts'

export function resultPage(json: string): ResultPage {
  return shortText(`${json}::text AS a`)
}

export function resultList(items: string, size: string | null): ResultList {
  const texts = `${items} AS _(value)`
  if (size === null) {
    const list = `'[' || coalesce(string_agg(coalesce(value::text, 'null'), ','), '') || ']' AS a`
    return { ...shortText(`${list} FROM ${texts}`), more: '0' }
  }
  const shown = `'[' || array_to_string(items[1:(${size})::integer], ',', 'null') || ']' AS a`
  const rows = `(SELECT ARRAY(SELECT value::text FROM ${texts}) AS items OFFSET 0) AS i`
  return { ...shortText(`${shown}, cardinality(items) > ${size} AS more FROM ${rows}`), more: 'more' }
}

/** Three sub-selects, one in the other: the rows; arrays of them and of their keys; the keys of the cursors. */
export function resultConnection(connection: ResultConnection): ResultPage {
  const { edge, keys } = connection
  const { value, source } = objectBeside(edge, connection.source)
  const columns = [`${value} AS value`, ...keys.map(({ column }, index) => `${column} AS k${index}`)]
  const keyArrays = keys.map((_, index) => `array_agg(k${index}) AS k${index}`)
  const arrays = ['array_agg(value::text) AS items', 'count(*)::integer AS n', ...keyArrays]
  const collected = `SELECT ${arrays.join(', ')} FROM (SELECT ${columns.join(', ')} FROM ${source}) AS r`
  // OFFSET 0: the server would compute the keys for each use of a cursor.
  return shortText(
    `${textOf(connection)} AS a FROM (SELECT *${cursorColumns(connection)} FROM (${collected}) AS c OFFSET 0) AS c`,
  )
}

/** The text `a` of a SELECT of these columns. OFFSET keeps it from being made twice. */
function shortText(columns: string): ResultPage {
  const text = `CASE WHEN octet_length(a) <= ${maxResultBytes} THEN a END`
  return { text, from: ` FROM (SELECT ${columns} OFFSET 0) AS a` }
}

/** The keys of the first and of the last row of the page, where a cursor is made of them; NULL if there is no row. */
function cursorColumns({ members, keys, size }: ResultConnection): string {
  const count = `least(n, (${size})::integer)`
  const kinds = members.flatMap((member) => (member.kind === 'pageInfo' ? member.members : [])).map(({ kind }) => kind)
  const column = (name: string, at: string) => {
    const encoded = encodedKeys(keys.map(({ json }, index) => json(`k${index}[${at}]`)))
    return `, CASE WHEN ${count} > 0 THEN ${encoded} END AS ${name}`
  }
  return `${kinds.includes('startCursor') ? column('start', '1') : ''}${kinds.includes('endCursor') ? column('last', count) : ''}`
}

function textOf({ members, nodeKey, size, order }: ResultConnection): string {
  return concatenated(object(members, memberText))

  function memberText(member: ConnectionMember): TextPart[] {
    switch (member.kind) {
      case 'edges':
        return [{ sql: edgesText() }]
      case 'pageInfo':
        return object(member.members, pageInfoText)
      case 'value':
        return [{ sql: `coalesce(to_json(${member.sql})::text, 'null')` }]
      case 'constant':
        return [JSON.stringify(member.value)]
      default:
        return unreachable(member)
    }
  }

  function edgesText(): string {
    const [begin, end] = nodeKey === null ? ['', ''] : [`{${JSON.stringify(nodeKey)}:`, '}']
    const items = `array_to_string(items[1:(${size})::integer], ${quoteText(`${end},${begin}`)})`
    return `coalesce(${quoteText(`[${begin}`)} || nullif(${items}, '') || ${quoteText(`${end}]`)}, '[]')`
  }

  function pageInfoText(member: PageInfoMember): TextPart[] {
    switch (member.kind) {
      case 'hasNextPage':
        return [{ sql: `(n > ${size})::text` }]
      case 'startCursor':
        return [{ sql: cursorText('c.start') }]
      case 'endCursor':
        return [{ sql: cursorText('c.last') }]
      case 'constant':
        return [JSON.stringify(member.value)]
      default:
        return unreachable(member)
    }
  }

  function cursorText(keys: string): string {
    return `coalesce('"' || ${withChecksum(order, keys)} || '"', 'null')`
  }
}

/** Text, or the SQL of text. */
type TextPart = string | { sql: string }

function object<Member extends { key: string }>(
  members: readonly Member[],
  textOf: (member: Member) => TextPart[],
): TextPart[] {
  const parts = members.flatMap((member, index) => [
    `${index === 0 ? '' : ','}${JSON.stringify(member.key)}:`,
    ...textOf(member),
  ])
  return ['{', ...parts, '}']
}

/** Each operator costs the server time before the first row, so texts that follow each other are one. */
function concatenated(parts: readonly TextPart[]): string {
  const terms: string[] = []
  let text = ''
  for (const part of parts) {
    if (typeof part === 'string') text += part
    else {
      terms.push(quoteText(text), part.sql)
      text = ''
    }
  }
  return [...terms, quoteText(text)].join(' || ')
}
