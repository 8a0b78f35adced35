// The tables of codes and of the mails that carry them, the same on both databases. `code-store.ts` describes them. None of them is
// in the change log.

/** Parameters as in `webhookTables`. */
export function codeTables({ text, whole, kind }: Record<'text' | 'whole' | 'kind', string>): string {
  return `
CREATE TABLE IF NOT EXISTS twain_code (
  id ${text} PRIMARY KEY, -- SHA-256 of the secret that the asker has
  purpose ${text} NOT NULL, -- RESET, SIGN_IN or VERIFY
  login ${text} NOT NULL, -- canonical, of the address that was asked for
  account ${text}, -- the id of the account's row; null: no account has the address
  address ${text}, -- the login of the account as written, to which the mail goes
  key ${text} NOT NULL, -- the kid of the key of the HMAC
  hmac ${text} NOT NULL, -- of the code, with its purpose, login and secret
  link ${text} UNIQUE, -- SHA-256 of the token of the link; null: it has no link
  tries ${whole} NOT NULL DEFAULT 0,
  created ${text} NOT NULL,
  expires ${text} NOT NULL,
  used ${text} -- by which sign-in, or when another change of the account ended it
)${kind};
CREATE INDEX IF NOT EXISTS twain_code_of_login ON twain_code (login, created);
CREATE INDEX IF NOT EXISTS twain_code_created ON twain_code (created);
CREATE INDEX IF NOT EXISTS twain_code_account ON twain_code (account);
CREATE TABLE IF NOT EXISTS twain_code_login ( -- whoever asks for a code locks the row of the login, so that limits hold
  login ${text} PRIMARY KEY,
  asked ${text} NOT NULL
)${kind};
CREATE INDEX IF NOT EXISTS twain_code_login_asked ON twain_code_login (asked);
CREATE TABLE IF NOT EXISTS twain_login_change ( -- of accounts that change their own login
  id ${text} PRIMARY KEY,
  account ${text} NOT NULL,
  address ${text} NOT NULL, -- the new login as written, to be proven
  login ${text} NOT NULL, -- the same, canonical
  former ${text} NOT NULL, -- the present login as written
  former_login ${text} NOT NULL, -- the same, canonical: nobody else gets it while the change can be undone
  key ${text} NOT NULL, -- the kid of the key of the HMAC
  hmac ${text} NOT NULL, -- of the code that was mailed to the new address
  link ${text} NOT NULL UNIQUE, -- SHA-256 of the token of the link in that mail
  undo ${text} UNIQUE, -- SHA-256 of the token that the former address got; null: it was not proven, and got none
  tries ${whole} NOT NULL DEFAULT 0,
  created ${text} NOT NULL,
  expires ${text} NOT NULL, -- until then it can be proven
  undoable ${text} NOT NULL, -- until then it can be undone
  proven ${text}, -- when the login changed
  ended ${text} -- when it was undone, or another change took its place
)${kind};
CREATE INDEX IF NOT EXISTS twain_login_change_account ON twain_login_change (account, created);
CREATE INDEX IF NOT EXISTS twain_login_change_former ON twain_login_change (former_login);
CREATE TABLE IF NOT EXISTS twain_sign_up ( -- of accounts that wait for the proof of their address
  code ${text} PRIMARY KEY, -- the newest code that was mailed for it
  login ${text} NOT NULL, -- canonical
  account ${text}, -- of the account that has the login already: nobody can use the code
  body ${text} NOT NULL, -- the input and the hash of the password, encrypted
  created ${text} NOT NULL,
  expires ${text} NOT NULL
)${kind};
CREATE INDEX IF NOT EXISTS twain_sign_up_login ON twain_sign_up (login);
CREATE INDEX IF NOT EXISTS twain_sign_up_expires ON twain_sign_up (expires);
CREATE TABLE IF NOT EXISTS twain_invitation ( -- to an account that is not there yet, or has no password
  id ${text} PRIMARY KEY,
  link ${text} NOT NULL UNIQUE, -- SHA-256 of the token of the link
  login ${text} NOT NULL, -- canonical
  address ${text} NOT NULL, -- as written; of an account, its stored login
  shown ${text}, -- as its maker wrote it, whether it has an account or not; null in rows of earlier builds
  account ${text}, -- the account that has the login already
  open ${whole} NOT NULL, -- 0: the account has a password, and nobody can use the invitation
  body ${text} NOT NULL, -- the input of the account, encrypted
  maker ${text}, -- the account that made it; null: an operator or a machine
  owner ${text} NOT NULL, -- who made it, as JSON, for the rights at the time of its acceptance
  created ${text} NOT NULL,
  expires ${text} NOT NULL,
  ended ${text} -- when it was accepted or withdrawn
)${kind};
CREATE INDEX IF NOT EXISTS twain_invitation_login ON twain_invitation (login, created);
CREATE INDEX IF NOT EXISTS twain_invitation_maker ON twain_invitation (maker, created);
CREATE INDEX IF NOT EXISTS twain_invitation_expires ON twain_invitation (expires);
CREATE TABLE IF NOT EXISTS twain_mail (
  id ${text} PRIMARY KEY,
  code ${text}, -- the code in it: the mail goes when the code ends
  body ${text} NOT NULL, -- encrypted
  expires ${text} NOT NULL
)${kind};
CREATE INDEX IF NOT EXISTS twain_mail_code ON twain_mail (code);
CREATE INDEX IF NOT EXISTS twain_mail_expires ON twain_mail (expires)`
}
