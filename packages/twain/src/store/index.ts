export type { Change, Changes } from './changes/changes.ts'
export type { Extras, Inside, OpenOptions, Store, WrittenLine } from './contract.ts'
export { type Amount, type CopyPlace, copyService } from './copy-service.ts'
export { hashIn, isOwnKey, pathOfKey } from './file-keys.ts'
export type { FileChunks, FileRecord, FileRecords, Portion, Swept } from './files.ts'
export { describeContract, describedContract, type LastContract, lastContract } from './last-contract.ts'
export { type LastUses, spellUse } from './last-uses.ts'
export type { LogReaders } from './log-readers.ts'
export { type MigrateOptions, migrateStore, planMigration } from './migrate-store.ts'
export { openStore } from './open-store.ts'
export { openVault } from './open-vault.ts'
export type { KeptWebhooks } from './open-webhooks.ts'
export { placeOf } from './postgres/place.ts'
export { type BackedUp, backUp, restore } from './sqlite/backup.ts'
export { StartRefused } from './start-refused.ts'
export type { Account, Told } from './tell/teller.ts'
export type { UsageRecords, Use } from './usage.ts'
export type { Key, Login, MachineVault, OpenVault, Secret, Token, Vault } from './vault.ts'
export type {
  Attempt,
  Delivery,
  DeliveryState,
  HookRecords,
  Lease,
  Maker,
  NewDelivery,
  Outcome,
  Under,
  Webhook,
} from './webhooks.ts'
export { requireUnmodified, requireWanted, type Wanted } from './write/preconditions.ts'
