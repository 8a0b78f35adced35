// Secrets are stored as their hashes: whoever reads the database can't use them. They are random and long, so that a plain hash is
// enough.

import { hash } from 'node:crypto'

export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url')
}
