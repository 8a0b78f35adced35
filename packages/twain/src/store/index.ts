export type { ChangeLog, ChangeRecord } from './changes/change-log.ts'
export { ChangesLost, type LogPoint, pointOf } from './changes/epochs.ts'
export type { ChangeEvent, ViewerAccount } from './changes/event-projector.ts'
export { withPreviousRow } from './changes/images.ts'
export type { CopyAmount, CopyLocation } from './copy/copy.ts'
export type { CopyPurpose } from './copy/staging.ts'
export {
  checkStored,
  copyService,
  inspectDatabase,
  lastSchema,
  migrateStore,
  openCredentialStore,
  openJobStore,
  openStore,
  planDataMigrations,
  planMigration,
} from './databases.ts'
export { StorageFailures, storageFailure } from './observe/storage-failures.ts'
export type { MigrateOptions, OpenOptions } from './options.ts'
export { describeAddress } from './postgres/connect/address.ts'
export { toResult } from './read/read-result.ts'
export type { Query, QueryRows } from './sql/query.ts'
export { backUp, restore } from './sqlite/backup/backup.ts'
export { FolderInUse } from './sqlite/connect/lock-folder.ts'
export type { Store } from './store.ts'
export type { StoreClock } from './store-clock.ts'
export type { AttemptCount, AttemptStore } from './system/accounts/attempt-store.ts'
export {
  type AddressedAccount,
  type CodeLimits,
  type CodePurpose,
  type CodeStore,
  type InvitationOwner,
  type LinkPurpose,
  type ListedInvitation,
  type LoginHolder,
  type MailContents,
  type MailPurpose,
  type StoredCode,
  type StoredInvitation,
  wrongCode,
} from './system/accounts/code-store.ts'
export type {
  AccountRights,
  ActingSession,
  ApiKey,
  CredentialStore,
  IdentityStore,
  MachineCredentialStore,
  Secret,
  Token,
  UsedCredential,
} from './system/accounts/credential-store.ts'
export type { LinkedIdentity, SignInCodeStore } from './system/accounts/sign-in-code-store.ts'
export type { IdempotentResult, RequestedChange } from './system/change-once.ts'
export type { DataMigrations, MigrationProgress, MigrationRecord, PlannedMigrations } from './system/data-migrations.ts'
export type { FileChunks, FileRecords } from './system/files/file-records.ts'
export { hashIn, isOwnKey, pathOfKey } from './system/files/file-records.ts'
export type { ImageRecord, ImageRecords } from './system/files/image-records.ts'
export type { HandlerPositions } from './system/handler-positions.ts'
export type { ImportPosition, ImportPositions, ImportStep } from './system/import-positions.ts'
export { type BackgroundDelete, type BackgroundDeletes, deleteOf } from './system/jobs/background-deletes.ts'
export type {
  ChangedJob,
  ClaimedJob,
  Job,
  JobAttempt,
  JobChange,
  JobCounts,
  JobFilter,
  JobKind,
  JobLease,
  JobOutcome,
  JobState,
  JobStore,
  NewJob,
  StoredSchedule,
} from './system/jobs/job-store.ts'
export type { NodeStore } from './system/node-store.ts'
export type { WebhookStoreLoader } from './system/open-system-stores.ts'
export type { ServedLimits } from './system/served-limits.ts'
export { type UsageCount, type UsageStore, usageApis } from './system/usage/usage-store.ts'
export { toDelivery } from './system/webhooks/webhook-delivery.ts'
export type {
  DeliveryAttempt,
  NewDelivery,
  Webhook,
  WebhookDelivery,
  WebhookOwner,
  WebhookStore,
} from './system/webhooks/webhook-store.ts'
export { describeLackingRows, fillingMigration, type LackingRows } from './tables/lacking-rows.ts'
export {
  type ClientUse,
  describeLastUse,
  type LastSchema,
  type LastUses,
  parseLastSchema,
  printLastSchema,
} from './tables/last-schema.ts'
export { StartRefused } from './tables/start-refused.ts'
export {
  isWanted,
  type OpenTransaction,
  type RunOptions,
  type RunWrite,
  type TransactionOptions,
  type WriteOptions,
  type WrittenChange,
} from './write/open-transaction.ts'
export { requireUnmodified, requireVersion, type VersionPreconditions } from './write/rules/preconditions.ts'
