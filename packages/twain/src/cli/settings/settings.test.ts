import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings, unknownVariables } from './settings.ts'

test('a flag counts over a variable, and a variable over the default', () => {
  const mistakes: string[] = []
  const env = { TWAIN_PORT: '5000', TWAIN_LIMITS_DEPTH: '7', TWAIN_LIMITS_COST: '8', TWAIN_HOST: '' }
  const read = readSettings({ flags: new Map([['limits-depth', '9']]), env }, mistakes)

  assert.deepEqual(mistakes, [])
  assert.equal(read.port, 5000)
  assert.equal(read.portChosen, true)
  assert.equal(read.host, '127.0.0.1')
  assert.equal(read.data, './data')
  assert.equal(read.seed, null)
  assert.deepEqual(read.limits, {
    depth: 9,
    cost: 8,
    page: 100,
    bodyBytes: 1_048_576,
    importBytes: 104_857_600,
    uploadBytes: 10_485_760,
    uploadsHeldBytes: 104_857_600,
    batch: 10,
    transaction: 100,
    documentTokens: 2000,
    timeSeconds: 30,
    codeSeconds: 5,
    cacheBytes: 50_331_648,
    bulk: 1000,
    cascade: 10_000,
    resultCacheBytes: 8_388_608,
    walBytes: 67_108_864,
  })
})

test('the file counts over the default, and dev has defaults of its own', () => {
  const mistakes: string[] = []
  const config = new Map([
    ['limits.depth', '7'],
    ['port', '5001'],
    ['http.cors', 'https://a.example,https://b.example'],
  ])
  const env = { TWAIN_LIMITS_DEPTH: '8' }
  const start = readSettings({ flags: new Map(), env, config }, mistakes)
  const dev = readSettings({ flags: new Map(), env: {}, dev: true }, mistakes)

  assert.deepEqual(mistakes, [])
  assert.deepEqual([start.limits.depth, start.port, start.portChosen], [8, 5001, true])
  assert.deepEqual([start.http.requestsPerMinute, dev.http.requestsPerMinute], [600, 0])
  assert.deepEqual([start.http.cors, dev.http.cors], ['https://a.example,https://b.example', 'localhost'])
  assert.deepEqual(
    [start.log.requests, dev.log.requests, start.http.serverTiming, dev.http.serverTiming],
    [true, false, false, true],
  )
})

test('all invalid values are reported at once, with their source', () => {
  const mistakes: string[] = []
  const flags = new Map([
    ['port', '70000'],
    ['data', ''],
    ['http-metrics', 'some'],
    ['http-cors', 'https://a.example/path'],
    ['http-trust-proxy', 'nginx'],
  ])
  const config = new Map([
    ['limits.cost', '1.5'],
    ['limits.dpeth', '3'],
  ])
  readSettings({ flags, env: { TWAIN_LIMITS_PAGE: '-1' }, config }, mistakes)
  assert.deepEqual(mistakes.sort(), [
    '--data is empty.',
    '--http-metrics must be local, open or off, not "some".',
    '--port must be a whole number, from 0 to 65535, not "70000".',
    'TWAIN_LIMITS_PAGE must be a whole number, 0 or more, not "-1".',
    'http.cors must list origins such as https://app.example.org, separated by commas, or * or localhost, not "https://a.example/path".',
    'http.trustProxy must be the number of proxies, or their addresses (10.0.0.7, 10.0.0.0/8, loopback) separated by commas, not "nginx".',
    'limits.cost in twain.config.ts must be a whole number, 0 or more, not "1.5".',
    'twain.config.ts sets limits.dpeth, which is not a setting. Did you mean "limits.depth"?',
  ])
})

test('the address of a database is validated and never printed', () => {
  const mistakes: string[] = []
  const env = { TWAIN_DATABASE: 'postgres://ann:secret@db.example/shop?sslmode=require', TWAIN_DATABASE_POOL_SIZE: '4' }
  const { database, poolSize } = readSettings({ flags: new Map(), env }, mistakes)
  assert.deepEqual([database, poolSize, mistakes], [env.TWAIN_DATABASE, 4, []])
  readSettings({ flags: new Map([['database', 'mysql://ann:secret@db']]), env: {} }, mistakes)
  assert.deepEqual(mistakes, ['--database must be sqlite:FOLDER or an address: postgres://USER:PASSWORD@HOST/NAME.'])
})

test('sqlite:PATH is the data folder or the database in it; an address is no folder and is never printed', () => {
  const read = (flag: string, text: string) => {
    const mistakes: string[] = []
    const { data, database } = readSettings({ flags: new Map([[flag, text]]), env: {} }, mistakes)
    return mistakes.length === 0 ? [data, database] : mistakes
  }
  for (const text of ['sqlite:./shop', 'sqlite:./shop/twain.db', 'sqlite://./shop']) {
    assert.deepEqual(read('database', text), ['./shop', null], text)
  }
  const expected = '--database must be sqlite:FOLDER or an address: postgres://USER:PASSWORD@HOST/NAME.'
  for (const text of ['sqlite:', 'sqlite:./shop.db', 'sqlite:postgres//u:secret@h/x', 'sqlite:./a,postgres://h/x']) {
    assert.deepEqual(read('database', text), [expected], text)
  }
  assert.deepEqual(read('data', 'postgres://u:secret@h/x'), [
    '--data must be a folder; use --database for the address of a database.',
  ])
})

test('the settings for TLS and application name override the address', () => {
  const mistakes: string[] = []
  const database = 'postgres://ann:secret@db.example/shop?sslmode=disable&search_path=s'
  const env = { TWAIN_DATABASE: database, TWAIN_DATABASE_TLS: 'verify', TWAIN_DATABASE_STATEMENT_TIMEOUT_SECONDS: '7' }
  const read = readSettings({ flags: new Map([['database-application-name', 'shop 1']]), env }, mistakes)
  assert.deepEqual(mistakes, [])
  assert.equal(
    read.database,
    'postgres://ann:secret@db.example/shop?sslmode=verify-full&search_path=s&application_name=shop+1',
  )
  assert.deepEqual([read.statementTimeoutSeconds, read.startupWaitSeconds], [7, 30])
  assert.equal(readSettings({ flags: new Map(), env: { TWAIN_DATABASE: database } }, mistakes).database, database)
  readSettings({ flags: new Map([['database-tls', 'yes']]), env: {} }, mistakes)
  assert.deepEqual(mistakes, ['--database-tls must be off, require or verify, not "yes".'])
})

test('replicas are addresses separated by commas, and require a database', () => {
  const mistakes: string[] = []
  const flags = new Map([['database-replicas', 'postgres://a/x, postgresql://b/x?search_path=one,two']])
  const env = { TWAIN_DATABASE: 'postgres://db/x' }
  assert.deepEqual(readSettings({ flags, env }, mistakes).replicas, [
    'postgres://a/x',
    'postgresql://b/x?search_path=one,two',
  ])
  assert.deepEqual(readSettings({ flags: new Map(), env }, mistakes).replicas, [])
  assert.deepEqual(mistakes, [])
  readSettings({ flags, env: {} }, mistakes)
  readSettings({ flags: new Map([['database-replicas', 'db.example,secret']]), env }, mistakes)
  assert.deepEqual(mistakes, [
    '--database-replicas needs --database, the address of the primary.',
    '--database-replicas must be addresses separated by commas: postgres://USER:PASSWORD@HOST/NAME.',
  ])
})

test('--database may list the primary and its replicas; connection settings apply to all of them', () => {
  const mistakes: string[] = []
  const database = 'postgres://a/x,postgres://b/x, postgresql://c/x?sslmode=disable'
  const flags = new Map([
    ['database', database],
    ['database-replicas', 'postgres://d/x'],
    ['database-tls', 'verify'],
  ])
  const read = readSettings({ flags, env: {} }, mistakes)
  assert.equal(read.database, 'postgres://a/x?sslmode=verify-full')
  assert.deepEqual(
    read.replicas.map((address) => [new URL(address).host, new URL(address).searchParams.get('sslmode')]),
    ['b', 'c', 'd'].map((host) => [host, 'verify-full']),
  )
  assert.deepEqual(mistakes, [])
  readSettings({ flags: new Map([['database', 'postgres://a/x,postgres:b']]), env: {} }, mistakes)
  assert.deepEqual(mistakes, ['--database must be sqlite:FOLDER or an address: postgres://USER:PASSWORD@HOST/NAME.'])
})

test('an unknown variable is reported with a suggestion', () => {
  assert.deepEqual(unknownVariables({ TWAIN_LIMITS_DEPHT: '3', TWAIN_PORT: '1', PATH: 'x' }), [
    'Unknown environment variable TWAIN_LIMITS_DEPHT: it is not a Twain setting. Did you mean "TWAIN_LIMITS_DEPTH"?',
  ])
})
