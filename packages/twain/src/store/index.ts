export type { Change, Changes } from './changes/change-log.ts'
export type { Account, Told } from './changes/event-projector.ts'
export type { Extras, Inside, OpenOptions, Store, WrittenLine } from './contract.ts'
export { type Amount, type CopyPlace, copyService } from './copy/load-copy.ts'
export { describeContract, describedContract, type LastContract, lastContract } from './last-schema.ts'
export { type MigrateOptions, migrateStore, planMigration } from './migrate-store.ts'
export { openVault } from './open-credential-store.ts'
export { openStore } from './open-store.ts'
export { placeOf } from './postgres/connect/place.ts'
export { type BackedUp, backUp, restore } from './sqlite/backup/backup.ts'
export type { Key, Login, MachineVault, OpenVault, Secret, Token, Vault } from './system/credential-store.ts'
export { hashIn, isOwnKey, pathOfKey } from './system/file-keys.ts'
export type { FileChunks, FileRecord, FileRecords, Portion, Swept } from './system/file-records.ts'
export type { LogReaders } from './system/handler-positions.ts'
export { type LastUses, spellUse } from './system/last-used.ts'
export type { KeptWebhooks } from './system/open-webhook-store.ts'
export type { UsageRecords, Use } from './system/usage-store.ts'
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
} from './system/webhook-store.ts'
export { StartRefused } from './tables/start-refused.ts'
export { requireUnmodified, requireWanted, type Wanted } from './write/rules/preconditions.ts'
