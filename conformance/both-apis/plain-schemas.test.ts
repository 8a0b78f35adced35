// Any plain SDL file can be served: each schema of schemas/ is written to and read through both APIs.
// stores: sqlite, postgres
// all samples: postgres

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Resource } from '../../packages/twain/src/model/index.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { generateInput, makeOrder } from '../generate/input-for-model.ts'
import { samples } from '../generate/samples.ts'
import { openApis } from '../harness/open-apis.ts'
import { expectLinks, expectSameFiltered, expectSameNested, expectWalks } from './equal-lists.ts'
import {
  createByGraphql,
  createByRest,
  expectDeletes,
  expectWritten,
  idsIn,
  type Row,
  writableAgain,
  writeAgain,
} from './round-trips.ts'

const folder = join(import.meta.dirname, '../schemas')
const rowsOfEach = 6

/** `npm test` tries a quarter of them on each store. */
const files = (await readdir(folder))
  .toSorted()
  .filter((_, index) => samples(index % 4 === (testedStore === 'postgres' ? 0 : 1), true))

for (const file of files) {
  describe(file, async () => {
    const apis = await openApis(await readFile(join(folder, file), 'utf8'), { cost: 0 })
    const made = new Map<Resource, Row[]>()

    test('what one API creates, the other reads', async () => {
      for (const resource of makeOrder(apis.model.resources)) {
        for (let turn = 0; turn < rowsOfEach; turn++) {
          const input = generateInput(resource, turn, (target) => idsIn(made, target))
          const row =
            turn % 2 === 0 ? await createByRest(apis, resource, input) : await createByGraphql(apis, resource, input)
          made.set(resource, [...(made.get(resource) ?? []), row])
          expectWritten(resource, row, input)
          await expectLinks(apis, resource, row.id, input)
        }
      }
    })

    test('what one API updates and replaces, the other reads', async () => {
      for (const resource of apis.model.resources) {
        for (const [turn, before] of made.get(resource)!.entries()) {
          const change = writableAgain(
            resource,
            generateInput(resource, turn + rowsOfEach, (target) => idsIn(made, target)),
          )
          const row = await writeAgain(apis, resource, before, change, turn)
          made.get(resource)![turn] = row
          expectWritten(resource, row, change)
        }
      }
    })

    test('lists and connections walked to the end give each row once, in the same order', async () => {
      for (const target of [...apis.model.resources, ...apis.model.abstracts]) await expectWalks(apis, target, made)
    })

    test('a filter on any stored field finds the same rows through both APIs', async () => {
      for (const resource of apis.model.resources) {
        for (const field of resource.fields.values()) {
          if (field.kind === 'stored') await expectSameFiltered(apis, resource, field, made.get(resource)!)
        }
      }
    })

    test('lists below a row are the same through both APIs', async () => {
      for (const resource of apis.model.resources) await expectSameNested(apis, resource, made.get(resource)!)
    })

    test('what one API deletes the other no longer finds', async () => {
      // Nothing refers to the rows that were created last.
      for (const resource of makeOrder(apis.model.resources).reverse())
        await expectDeletes(apis, resource, made.get(resource)!)
    })

    test('and the service closes', () => apis.close())
  })
}
