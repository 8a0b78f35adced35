import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from './address.ts'

test('an address names one or several servers by host name, IP address or socket folder', () => {
  const addresses: [string, [string, number][], string | null][] = [
    ['postgres://u:p@db.example/shop', [['db.example', 5432]], 'shop'],
    ['postgres://db:5433/my%20shop%2F2', [['db', 5433]], 'my shop/2'],
    ['postgres://u@[::1]:5433/shop', [['::1', 5433]], 'shop'],
    ['postgresql://[fe80::1]/shop', [['fe80::1', 5432]], 'shop'],
    [
      'postgres://one,two:5433/shop',
      [
        ['one', 5432],
        ['two', 5433],
      ],
      'shop',
    ],
    ['postgres://%2Frun%2Fpostgresql/shop', [['/run/postgresql', 5432]], 'shop'],
    ['postgres:///shop?host=/run/postgresql&port=5433', [['/run/postgresql', 5433]], 'shop'],
    ['postgres:///shop', [['localhost', 5432]], 'shop'],
    ['postgres://u@db', [['db', 5432]], 'u'],
  ]
  for (const [address, servers, database] of addresses) {
    const parsed = parseAddress(address)
    assert.deepEqual(
      parsed.servers.map(({ host, port }) => [host, port]),
      servers,
    )
    assert.equal(parsed.database, database)
  }
})

test('credentials are decoded, and parameters that are none of the driver go to the session', () => {
  const { user, password, parameters, servers } = parseAddress(
    'postgres://u%20s:p%40%2F%25%3A@[::1]:5433/shop?port=1&options=-c%20geqo%3Doff&channel_binding=require&connect_timeout=3',
  )
  assert.deepEqual([user, password], ['u s', 'p@/%:'])
  assert.deepEqual(servers, [{ host: '::1', port: 5433 }])
  assert.deepEqual(parameters, { options: '-c geqo=off' })
})

test('sslmode: off without it, verified unless it says otherwise', () => {
  const modes = [
    ['', 'off'],
    ['?sslmode=disable', 'off'],
    ['?sslmode=prefer', 'prefer'],
    ['?sslmode=require', 'require'],
    ['?sslmode=verify-ca', 'verify'],
    ['?sslmode=verify-full', 'verify'],
    ['?ssl=true', 'verify'],
    ['?sslrootcert=system', 'verify'],
  ]
  for (const [text, tls] of modes) assert.equal(parseAddress(`postgres://db/shop${text}`).tls, tls)
})

test('an invalid address is refused without its password', () => {
  for (const address of [
    'postgres://u:hunter2@[::1/shop',
    'postgres://u:hunter2@db/x?channel_binding=maybe',
    'hunter2',
  ])
    assert.throws(
      () => parseAddress(address),
      (error: Error) => {
        assert.equal(error.name, 'StartRefused')
        assert.doesNotMatch(error.message, /hunter2/)
        return true
      },
    )
})

test('an unknown choice is refused, without the address', () => {
  for (const choice of ['target_session_attrs=wrong', 'channel_binding=wrong']) {
    const [name] = choice.split('=')
    assert.throws(() => parseAddress(`postgres://u:secret@db/shop?${choice}`), {
      message: `The address of the database can't be understood (${name}).`,
    })
  }
  assert.equal(parseAddress('postgres://db/shop?target_session_attrs=read-write').wanted, 'read-write')
})
