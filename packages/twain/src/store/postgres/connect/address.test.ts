import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
    ['?sslmode=verify-ca', 'verify-ca'],
    ['?sslmode=no-verify', 'require'],
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
  for (const choice of ['target_session_attrs=wrong', 'channel_binding=wrong', 'sslmode=wrong']) {
    const [name] = choice.split('=')
    assert.throws(() => parseAddress(`postgres://u:secret@db/shop?${choice}`), {
      message: `The address of the database can't be understood (${name}).`,
    })
  }
  assert.equal(parseAddress('postgres://db/shop?target_session_attrs=read-write').wanted, 'read-write')
})

test('addresses are understood as Neon, Supabase, RDS, Azure, Heroku, Vercel and Cloud SQL print them', () => {
  const printed: [string, object][] = [
    [
      'postgresql://ann:p@ep-cool-rain-123.eu-central-1.aws.neon.tech/neondb?sslmode=require&channel_binding=require',
      { tls: 'require', channelBinding: 'require', parameters: {} },
    ],
    [
      'postgres://u:p@ep-x.us-east-2.aws.neon.tech/db?options=endpoint%3Dep-x&sslmode=require',
      { tls: 'require', parameters: { options: 'endpoint=ep-x' } },
    ],
    [
      'postgresql://postgres.abc:p@aws-0-eu-central-1.pooler.supabase.com:6543/postgres?pgbouncer=true&connection_limit=1',
      { user: 'postgres.abc', tls: 'off', parameters: {} },
    ],
    ['postgresql://postgres:p@db.abc.supabase.co:5432/postgres?schema=shop', { parameters: { search_path: 'shop' } }],
    ['postgresql://postgres:p@db.abc.supabase.co/postgres?schema=Shop', { parameters: { search_path: '"Shop"' } }],
    ['postgres://u:p@shop.abc.eu-west-1.rds.amazonaws.com:5432/shop?sslmode=verify-full', { tls: 'verify' }],
    [
      'postgres://ann%40shop:p@shop.postgres.database.azure.com:5432/postgres?sslmode=require',
      { user: 'ann@shop', tls: 'require' },
    ],
    ['postgres://u:p@ec2-1-2-3-4.eu-west-1.compute.amazonaws.com:5432/d1?sslmode=no-verify', { tls: 'require' }],
    [
      'postgres://u:p@h/db?pgbouncer=true&connect_timeout=15&pool_timeout=15&sslmode=require&uselibpqcompat=true',
      { connectTimeout: 15, parameters: {} },
    ],
    [
      'postgresql:///shop?host=/cloudsql/p:r:i&user=ann&password=p&dbname=ignored',
      { user: 'ann', password: 'p', database: 'shop' },
    ],
  ]
  for (const [address, expected] of printed) {
    const parsed = parseAddress(address)
    for (const [name, value] of Object.entries(expected))
      assert.deepEqual(parsed[name as keyof typeof parsed], value, `${name} of ${address}`)
  }
})

test('an unknown parameter is refused by its name, with the one that was meant and never with a value', () => {
  const refused = (parameter: string) => {
    try {
      parseAddress(`postgres://u:hunter2@db/shop?${parameter}`)
    } catch (error) {
      return (error as Error).message
    }
    return 'accepted'
  }
  assert.match(refused('chanel_binding=hunter2'), /parameter "chanel_binding"\. Did you mean "channel_binding"\?/)
  assert.match(refused('ssl_mode=require'), /"ssl_mode"\. Did you mean "sslmode"\?/)
  assert.match(refused('enable_seqscan=off'), /"enable_seqscan"\.[^?]*options: \?options=-c%20NAME%3DVALUE$/)
  assert.match(refused('require_auth=scram-sha-256'), /"require_auth"/)
  assert.doesNotMatch(refused('chanel_binding=hunter2'), /hunter2/)
  assert.equal(refused('app.tenant=a&work_mem=64MB&lock_timeout=5s'), 'accepted')
})

test('sslrootcert, sslcert and sslkey name files; a named authority is checked', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-address-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'a.pem')
  writeFileSync(file, 'PEM')
  const parsed = parseAddress(`postgres://db/shop?sslmode=require&sslrootcert=${file}&sslcert=${file}&sslkey=${file}`)
  assert.deepEqual([parsed.tls, parsed.certificates], ['verify-ca', { ca: 'PEM', cert: 'PEM', key: 'PEM' }])
  assert.deepEqual(parseAddress('postgres://db/shop?sslrootcert=system').certificates, {})
  assert.throws(() => parseAddress('postgres://u:hunter2@db/shop?sslmode=require&sslrootcert=/none/ca.pem'), {
    name: 'StartRefused',
    message:
      "The address of the database postgres://db/shop: The file /none/ca.pem of sslrootcert can't be read (ENOENT).",
  })
})
