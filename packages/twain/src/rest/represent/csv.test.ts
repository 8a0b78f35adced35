import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PlanBuilder } from '#plan/build'
import { blog, resource } from '../blog.fixture.ts'
import { selectTypes } from '../plan/fields.ts'
import { csvColumns, csvHeader, csvRow } from './csv.ts'

const columns = (of: string, fields?: string) => {
  const type = blog.types.get(of)
  return csvColumns(selectTypes(type?.kind === 'abstract' ? type : resource(of), fields, new PlanBuilder()))
}

test('R57: columns are paths into objects, but not into lists and recursive values', () => {
  assert.equal(
    csvHeader(columns('User')),
    'id,name,email,age,address.street,address.city,address.country.code,address.country.name,address.former\r\n',
  )
  assert.equal(csvHeader(columns('Post', 'title,author.name,comments.body')), 'title,author.name,comments\r\n')
})

test('R57: an interface or union has the columns of all members', () => {
  const header = csvHeader(columns('Found'))
  assert.match(header, /^type,id,title,.*,name,email,/)
  assert.equal(new Set(header.trim().split(',')).size, header.trim().split(',').length)
})

test('R57: a cell is quoted where necessary', () => {
  const shown = columns('Post', 'title,labels,author.name')
  for (const [row, line] of [
    [{ title: 'plain', labels: null, author: null }, 'plain,,'],
    [{ title: '', labels: [], author: { name: 'a,b' } }, '"",[],"a,b"'],
    [{ title: 'say "x"', labels: ['a'], author: { name: 'l\ni' } }, '"say ""x""","[""a""]","l\ni"'],
    [{ title: ' x', labels: null, author: { name: '=1+1' } }, '" x",,=1+1'],
    [{}, ',,'],
  ] as const) {
    assert.equal(csvRow(row, shown), `${line}\r\n`)
  }
})
