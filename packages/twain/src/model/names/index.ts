export { firstName, hasOneName, itemNamed, type Named, namesOf, renamedReason, withAliases } from '../aliases.ts'
export { printCustomType, printType } from '../print-type.ts'
export { hasMatrixField, matrixField, matrixTypes } from './access-matrix.ts'
export { type ExportNames, exportNames, exportPath, hasExport } from './account-export.ts'
export {
  aggregateFields,
  aggregateTypes,
  comparedScalars,
  comparisonType,
  distinctType,
  groupByTypes,
  measureTypeOf,
} from './aggregates.ts'
export { camelCase, kebabCase } from './case.ts'
export { deletedRowsType, generatedTypes, imageEnums } from './generated-types.ts'
export { hasInvitations, invitationFields, invitationPath, invitationType } from './invitations.ts'
export { hasMonitorFields, monitorFields, monitorTypes } from './monitoring.ts'
export { hasNodeInterface, nodeInterface, nodeRootFields } from './node-interface.ts'
export {
  byName,
  type ChangeSubscription,
  type ChannelField,
  channelsOf,
  createAllName,
  createEachName,
  deleteAllName,
  hasUpdates,
  isBulkWritten,
  isRevertible,
  keyedWrites,
  restoreName,
  revertName,
  subscriptionsOf,
  updateAllName,
  upsertName,
} from './operations.ts'
export { accessField, accessTypes, hasAccessField } from './row-access.ts'
export { hasSchemaFields, schemaFields, schemaTypes } from './schema-names.ts'
export { aliasCopies, singleOf, typeAtPath } from './type-aliases.ts'
export { hasMessageField, messageField, messageTypes } from './webhook-message.ts'
