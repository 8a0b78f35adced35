export { type RowPrinter, rowPrinter } from './export/print-rows.ts'
export { type ExportPage, RowExporter } from './export/row-exporter.ts'
export { importOrder } from './exported-fields.ts'
export { conflictKey, importTarget, readColumnMap } from './import/columns.ts'
export type { ImportOutcome } from './import/import-portion.ts'
export { RowImporter } from './import/row-importer.ts'
export {
  type ImportOptions,
  type ImportResult,
  type ImportService,
  PortionTooSlow,
  runImport,
} from './import/run-import.ts'
export {
  createOperatorApi,
  exportsPath,
  filesPath,
  type InvitedByOperator,
  importsPath,
  invitationsPath,
} from './operator-api.ts'
