import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverAddresses } from './address.ts'
import { connect } from './connect.ts'

test('an address names one or several servers by host name, IP address or socket folder', () => {
  const addresses: [string, object][] = [
    ['postgres://u:p@db.example/shop', { host: ['db.example'], port: [5432], database: 'shop' }],
    ['postgres://db:5433/my%20shop%2F2', { host: ['db'], port: [5433], database: 'my shop/2' }],
    ['postgres://u@[::1]:5433/shop', { host: ['::1'], port: [5433], database: 'shop' }],
    ['postgresql://[fe80::1]/shop', { host: ['fe80::1'], port: [5432], database: 'shop' }],
    ['postgres://one,two:5433/shop', { host: ['one', 'two'], port: [5432, 5433], database: 'shop' }],
    ['postgres://%2Frun%2Fpostgresql/shop', { path: '/run/postgresql/.s.PGSQL.5432', database: 'shop' }],
    ['postgres:///shop?host=/run/postgresql&port=5433', { path: '/run/postgresql/.s.PGSQL.5433', database: 'shop' }],
    ['postgres:///shop', { database: 'shop' }],
    ['postgres://db', { host: ['db'], port: [5432] }],
  ]
  for (const [address, servers] of addresses) assert.deepEqual(serverAddresses(address), servers)
})

test('the driver gets the servers, and they are no session parameters', () => {
  const { options } = connect('postgres://u:p%40%2F%25%3A@[::1]:5433/shop?port=1&options=-c%20geqo%3Doff', {
    size: 1,
    time: 5,
  })
  const { host, port, user, pass, database, connection } = options as typeof options & Record<string, unknown>
  assert.deepEqual([host, port, user, pass, database], [['::1'], [5433], 'u', 'p@/%:', 'shop'])
  assert.deepEqual([connection.options, 'port' in connection], ['-c geqo=off', false])
})
