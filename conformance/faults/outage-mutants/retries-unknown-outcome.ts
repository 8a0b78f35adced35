import { misreadLostCommitAs } from './misread-lost-commit.ts'

misreadLostCommitAs('40001') // serialization_failure: rolled back, so the write is made again
