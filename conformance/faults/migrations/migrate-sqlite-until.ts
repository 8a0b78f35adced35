// A migration that kills itself before the statement with this number: `migrate-sqlite-until.ts DATA SDL NUMBER`. It ends with 0 when
// there are fewer statements.

import { join } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { loadModel } from '../../../packages/twain/src/model/index.ts'
import { openWriteConnection } from '../../../packages/twain/src/store/sqlite/connect/connect.ts'
import { migrate } from '../../../packages/twain/src/store/sqlite/migrate/migrate.ts'

const [data = '', sdl = '', number = ''] = process.argv.slice(2)
let left = Number(number)

function count(): void {
  left--
  if (left === 0) process.kill(process.pid, 'SIGKILL')
}

const running: ReadonlySet<string | symbol> = new Set(['run', 'get', 'all', 'exec'])

function counted<Target extends DatabaseSync | StatementSync>(target: Target): Target {
  return new Proxy(target, {
    get(_, name) {
      const member = Reflect.get(target, name) as unknown
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        if (running.has(name)) count()
        const answer = Reflect.apply(member, target, args) as unknown
        return name === 'prepare' ? counted(answer as StatementSync) : answer
      }
    },
  })
}

const database = openWriteConnection(join(data, 'twain.db'))
migrate(counted(database), loadModel(sdl, 'test.graphql'), sdl, { data, allowBreaking: false })
database.close()
