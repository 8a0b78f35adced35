import { takeFor } from './misread-lost-commit.ts'

takeFor('08006') // connection_failure: refused, as if nothing had happened
