export { type ColumnMap, importTarget, readColumnMap } from './import/columns.ts'
export type { ImportOutcome, ImportPortion, RowFailure } from './import/import-portion.ts'
export { RowImporter } from './import/row-importer.ts'
export {
  type ImportResult,
  type ImportService,
  PortionTooSlow,
  runImport,
} from './import/run-import.ts'
export { createOperatorApi, importsPath, operatorPrefix } from './operator-api.ts'
export { BadFile, type DataFormat, dataFormats } from './records/record.ts'
