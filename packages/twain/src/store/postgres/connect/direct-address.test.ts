import assert from 'node:assert/strict'
import { test } from 'node:test'
import { directAddressAdvice } from './direct-address.ts'

test('the advice names the address of the database itself, by provider', () => {
  const advice: [string, RegExp][] = [
    [
      'postgres://u:hunter2@ep-x-1-pooler.eu-central-1.aws.neon.tech/db',
      /without "-pooler": ep-x-1\.eu-central-1\.aws\.neon\.tech\./,
    ],
    [
      'postgres://postgres.p:hunter2@aws-0-eu-central-1.pooler.supabase.com:6543/postgres',
      /port 5432 instead of 6543: aws-0-eu-central-1\.pooler\.supabase\.com:5432\./,
    ],
    ['postgres://u:hunter2@db.abc.supabase.co:6543/postgres', /db\.abc\.supabase\.co:5432/],
    ['postgres://u:hunter2@shop.postgres.database.azure.com:6432/shop', /port 5432 instead of 6432/],
    ['postgres://u:hunter2@p.proxy-abc.eu-west-1.rds.amazonaws.com/shop', /endpoint of the cluster or instance/],
    [
      'postgres://u:hunter2@10.0.0.1:6432/shop',
      /address of the database itself.*direct or unpooled, or set pool_mode = session/,
    ],
    ['postgres://u:hunter2@10.0.0.1:6432/shop?pgbouncer=true', /the address says pgbouncer=true/],
  ]
  for (const [address, expected] of advice) {
    assert.match(directAddressAdvice(address), expected)
    assert.doesNotMatch(directAddressAdvice(address), /hunter2/)
  }
})
