import { misreadLostCommitAs } from './misread-lost-commit.ts'

misreadLostCommitAs('08006') // connection_failure: refused, as if nothing had happened
