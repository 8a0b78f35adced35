// The service under test: its database or folder, its nodes, its clock, and copies of it.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { backUp, copyService, restore } from '../../../packages/twain/src/store/index.ts'
import type { TestDatabase } from '../../../packages/twain/src/store/postgres/test-database.fixture.ts'
import type { StoreName } from '../../../packages/twain/src/store/test-place.fixture.ts'
import type { OwnDatabase } from '../../harness/own-database.ts'
import { type Chain, schemaText } from './chain.ts'
import { VersionNode } from './node.ts'

export class TestedService {
  readonly store: StoreName
  readonly #chain: Chain
  readonly #folder: string
  readonly #database: TestDatabase | null
  readonly #nodes = new Map<number, VersionNode>()
  /** Milliseconds that the clock is ahead. */
  #ahead: number
  /** Internal errors of all nodes: none is expected. */
  readonly errors: string[] = []

  readonly #databases: OwnDatabase

  private constructor(
    store: StoreName,
    databases: OwnDatabase,
    chain: Chain,
    folder: string,
    database: TestDatabase | null,
    ahead: number,
  ) {
    this.store = store
    this.#databases = databases
    this.#chain = chain
    this.#folder = folder
    this.#database = database
    this.#ahead = ahead
  }

  static async open(store: StoreName, databases: OwnDatabase, chain: Chain, ahead = 0): Promise<TestedService> {
    const folder = await mkdtemp(join(tmpdir(), 'twain-sequence-'))
    const database = store === 'postgres' ? await databases.schema() : null
    return new TestedService(store, databases, chain, folder, database, ahead)
  }

  readonly now = (): number => Date.now() + this.#ahead

  get nodes(): VersionNode[] {
    return [...this.#nodes.values()]
  }

  /** The node, or another that runs. */
  node(number: number): VersionNode | undefined {
    return this.#nodes.get(number) ?? this.nodes[0]
  }

  /** Whether the only node that SQLite can have serves this version already. */
  isAlone(version: number): boolean {
    return this.store === 'sqlite' && this.nodes[0]?.version === version
  }

  async start(number: number, version: number, isSwap = false): Promise<VersionNode> {
    const sdl = schemaText(this.#chain, version)
    const running = this.#nodes.get(number)
    if (running !== undefined && isSwap) {
      await running.swap(sdl, version)
      return running
    }
    await this.stop(number)
    const data = this.#database === null ? this.#data : join(this.#folder, `node-${number}`)
    await mkdir(data, { recursive: true })
    const node = await VersionNode.open({ data, database: this.#address }, sdl, version, this.now, this.errors)
    this.#nodes.set(number, node)
    return node
  }

  async stop(number: number): Promise<void> {
    const node = this.#nodes.get(number)
    this.#nodes.delete(number)
    await node?.close()
  }

  /** A day and an hour pass, and every node cleans up. */
  async wait(): Promise<void> {
    this.#ahead += 25 * 3600 * 1000
    for (const node of this.nodes) await node.cleanUp()
  }

  /** A copy of everything. SQLite has one process at a time, so its node stops. */
  async copied(to: StoreName): Promise<TestedService> {
    if (this.store === 'sqlite') await this.#stopAll()
    const copy = await TestedService.open(to, this.#databases, this.#chain, this.#ahead)
    try {
      await copyService(this.#location, copy.#location, 'move', () => {}, new AbortController().signal)
      return copy
    } catch (error) {
      await copy.close()
      throw error
    }
  }

  /** A backup of the folder while its node runs, restored into another. */
  async restored(): Promise<TestedService> {
    const copy = await TestedService.open('sqlite', this.#databases, this.#chain, this.#ahead)
    const file = join(copy.#folder, 'backup')
    backUp(this.#data, file)
    await restore(file, copy.#data)
    return copy
  }

  /** Every reference of the newest version has its foreign key, and no row breaks one. */
  async checkForeignKeys(): Promise<void> {
    const references = this.#chain.types.flatMap(({ name, fields }) =>
      fields.flatMap((field) => (field.kind === 'reference' ? [`${name}.${field.name} → ${field.to}`] : [])),
    )
    const { keys, broken } = this.#database === null ? this.#sqliteKeys() : await postgresKeys(this.#database)
    assert.deepEqual(
      references.filter((key) => !keys.includes(key)),
      [],
      'references without a foreign key',
    )
    assert.deepEqual(broken, [], 'rows that break a foreign key')
  }

  /** The ids of all files, read or not. */
  async storedFiles(): Promise<string[]> {
    const rows =
      this.#database === null
        ? this.#ask('SELECT id FROM twain_file')
        : await this.#database.raw.query('SELECT id FROM twain_file')
    return rows.map(({ id }) => String(id))
  }

  async close(): Promise<void> {
    await this.#stopAll()
    await this.#database?.drop()
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #stopAll(): Promise<void> {
    for (const number of [...this.#nodes.keys()]) await this.stop(number)
  }

  get #data(): string {
    return join(this.#folder, 'data')
  }

  get #address(): string | null {
    return this.#database?.address ?? null
  }

  get #location() {
    if (this.#address !== null) return { kind: 'database', address: this.#address } as const
    return { kind: 'folder', folder: this.#data } as const
  }

  #sqliteKeys() {
    const keys = this.#chain.types.flatMap(({ name }) =>
      this.#ask(`PRAGMA foreign_key_list("${name}")`).map((key) => `${name}.${key.from} → ${key.table}`),
    )
    return { keys, broken: this.#ask('PRAGMA foreign_key_check') }
  }

  /** Reads the file of SQLite, beside its node. */
  #ask(sql: string): Record<string, unknown>[] {
    const database = new DatabaseSync(join(this.#data, 'twain.db'), { readOnly: true })
    try {
      return database.prepare(sql).all()
    } finally {
      database.close()
    }
  }
}

/** PostgreSQL holds what is validated; a key that is not could have been broken before it was added. */
async function postgresKeys({ raw }: TestDatabase): Promise<{ keys: string[]; broken: unknown[] }> {
  const rows = await raw.query(
    `SELECT c.conrelid::regclass::text AS table, c.confrelid::regclass::text AS target, a.attname AS column, c.convalidated AS valid
     FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
     WHERE c.contype = 'f' AND c.connamespace = current_schema()::regnamespace`,
  )
  const plain = (name: unknown) => String(name).replaceAll('"', '')
  return {
    keys: rows.map((row) => `${plain(row.table)}.${row.column} → ${plain(row.target)}`),
    broken: rows.filter(({ valid }) => valid !== true),
  }
}
