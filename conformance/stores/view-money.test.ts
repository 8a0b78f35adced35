// Money in views: sums and averages of 50,000 random amounts, and arithmetic with them, are the same on both stores, to the last cent.
// stores: sqlite + postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { system } from '../../packages/twain/src/base/http/index.ts'
import { propertySeed } from '../generate/seed.ts'
import { StorePair } from './store-pair.ts'

const groups = 121
const perPage = 12_500
const pages = 4

/** One row has many amounts, so that the test writes few rows. */
const totals = (amounts: string, amount: string) => `
  SELECT number % ${groups} AS "group", sum(amount) AS total, round(avg(amount), 4) AS average,
    sum(amount) - 0.07 AS less, sum(amount * 3) AS thrice, sum(amount) FILTER (WHERE amount > 0) AS gains,
    sum(DISTINCT round(amount, 0)) AS steps, sum(number) AS numbers, count(*) AS count
  FROM (SELECT number, CAST(${amount} AS NUMERIC) AS amount FROM ${amounts}) AS amounts GROUP BY 1`
const running = `SELECT id, sum(total) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS recent,
  round(avg(total) OVER (PARTITION BY payer), 4) AS mean, total * 3 AS thrice FROM "Payment"`
const having = 'SELECT payer, sum(total) AS total FROM "Payment" GROUP BY payer HAVING sum(total) = 0.3'

const view = (fields: string, key: string, sqlite: string, postgres = sqlite) =>
  `@allow(to: [READ]) @view(key: ["${key}"], sqlite: ${JSON.stringify(sqlite)}, postgres: ${JSON.stringify(postgres)}) { ${fields} }`

const sdl = `
type Page @allow { id: ID! amounts: JSON! }
type Payment @allow { id: ID! payer: String! total: Decimal! }
type Total ${view(
  'group: Int! total: Decimal! average: Decimal! less: Decimal! thrice: Decimal! gains: Decimal steps: Decimal! numbers: BigInt! count: Int!',
  'group',
  totals(`(SELECT j.key AS number, j.value AS text FROM "Page", json_each(amounts) AS j) AS texts`, 'text'),
  totals(
    `(SELECT j.n - 1 AS number, j.text FROM "Page", json_array_elements_text(CAST(amounts AS json)) WITH ORDINALITY AS j (text, n)) AS texts`,
    'text',
  ),
)}
type Running ${view('id: ID! recent: Decimal! mean: Decimal! thrice: Decimal!', 'id', running)}
type Exact ${view('payer: String! total: Decimal!', 'payer', having)}
`

test('views of both stores have the same money, and filters, order and having compare it alike', async (t) => {
  const cents = fc.integer({ min: -99_999_999, max: 999_999_999 }).map((count) => (count / 100).toFixed(2))
  const amounts = fc.sample(cents, { numRuns: perPage * pages, seed: propertySeed })
  const rows: [string, { id: string }][] = []
  for (let n = 0; n < pages; n++) {
    rows.push(['Page', { id: `p${n}`, amounts: amounts.slice(n * perPage, (n + 1) * perPage) } as { id: string }])
  }
  const payments = ['0.1', '0.2', '0.7', '0.1', '116444.68', '-0.30', '0.01', '1234567890123.45']
  payments.forEach((total, n) => {
    rows.push(['Payment', { id: `${n}`, payer: n < 2 ? 'ann' : `p${Math.floor(n / 7)}`, total } as { id: string }])
  })
  const pair = await StorePair.open({ name: 'view money', sdl, rows })
  t.after(() => pair.close())
  const ask = async (path: string) => {
    const { status, text } = await pair.ask({ api: 'rest', method: 'GET', path, headers: {} }, system)
    assert.equal(status, 200, text)
    return JSON.parse(text) as Record<string, string>[]
  }

  const found = [...(await ask('/totals?sort=group&limit=100')), ...(await ask('/totals?sort=-group&limit=21'))]
  assert.equal(found.length, groups)
  for (const { group, total } of found) assert.equal(total, print(sumOf(amounts, Number(group))))
  const median = found.map(({ total }) => total!).sort((a, b) => Number(a) - Number(b))[60]!
  await ask(`/totals?sort=-total,group&limit=100&total[gte]=${median}&fields=group,total,average`)
  await ask(`/totals?sort=less&limit=100&thrice[lt]=${median}`)
  assert.equal((await ask(`/totals?total=${median}`)).length, 1)
  await ask('/totals?groupBy=count&fields=count,_sum.total,_avg.less,_max.thrice&sort=-_sum.total&_sum.total[gt]=0.01')
  const query = `{ totals(orderBy: [{ total: ASC }], first: 100, where: { total: { lte: "${median}" } }) { edges { node { group total average } } } }`
  const body = JSON.stringify({ query })
  const headers = { 'content-type': 'application/json' }
  await pair.ask({ api: 'graphql', method: 'POST', path: '/graphql', headers, body }, system)

  await ask('/runnings?sort=id')
  assert.deepEqual(await ask('/exacts?fields=payer,total'), [{ payer: 'ann', total: '0.3' }])
})

/** In hundredths. */
function sumOf(amounts: readonly string[], group: number): bigint {
  let sum = 0n
  amounts.forEach((amount, n) => {
    if ((n % perPage) % groups === group) sum += BigInt(amount.replace('.', ''))
  })
  return sum
}

function print(hundredths: bigint): string {
  const size = String(hundredths < 0n ? -hundredths : hundredths).padStart(3, '0')
  const decimals = size.slice(-2).replace(/0+$/, '')
  return `${hundredths < 0n ? '-' : ''}${size.slice(0, -2)}${decimals === '' ? '' : `.${decimals}`}`
}
