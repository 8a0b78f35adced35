// The log that modules write to. The command decides its format: JSON entries, or short lines for people.

export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
