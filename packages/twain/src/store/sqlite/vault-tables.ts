// The tables of identity: who may sign in, who has, the keys of machines, and what tokens are signed with. What they mean
// is told in ../vault.ts. None of them ever stands in the change log.

export const vaultTables: string = `
CREATE TABLE IF NOT EXISTS twain_login (
  account TEXT PRIMARY KEY, -- the id of the account's row
  login TEXT NOT NULL UNIQUE, -- canonical
  hash TEXT, -- of the password, in PHC form; null for an account that has none
  changed TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS twain_token (
  id TEXT PRIMARY KEY, -- one for each signing in, whatever is renewed in it
  account TEXT NOT NULL,
  generation INTEGER NOT NULL, -- how often it was renewed: the refresh token of this generation is the one that counts
  created TEXT NOT NULL,
  used TEXT NOT NULL, -- when it was made or last renewed
  expires TEXT NOT NULL, -- of its refresh token
  ended TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS twain_token_account ON twain_token (account);
CREATE TABLE IF NOT EXISTS twain_key (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE, -- SHA-256 of the key
  name TEXT,
  roles TEXT NOT NULL, -- a JSON list
  created TEXT NOT NULL,
  ended TEXT
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS twain_secret (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  created TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`
