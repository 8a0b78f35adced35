// The list of what changed between two contracts.

export interface Difference {
  kind: 'additive' | 'breaking'
  /** `Post`, `Post.title`, `Status.DRAFT`. */
  path: string
  message: string
  /** What would be right instead; empty where nothing is wrong. */
  cure: string
  /** Only what can be asked is less: nothing that is stored is lost. */
  keepsAll?: true
}

export class Differences {
  readonly all: Difference[] = []

  additive(path: string, message: string): void {
    this.all.push({ kind: 'additive', path, message, cure: '' })
  }

  breaking(path: string, message: string, cure = 'Put it back.'): void {
    this.all.push({ kind: 'breaking', path, message, cure })
  }

  /** Breaking for who asks, though the rows stay as they are. */
  breakingAsking(path: string, message: string, cure: string): void {
    this.all.push({ kind: 'breaking', path, message, cure, keepsAll: true })
  }
}
