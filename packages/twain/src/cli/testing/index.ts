// The package's entry `twain/test`: a service for tests (docs/guide/test-a-service.md).

export { startTestService, type TestClock, TestService, type TestServiceOptions } from './test-service.ts'
export type { TestReply, TestViewer } from './test-viewer.ts'
