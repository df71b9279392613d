export { startFakeModel, type FakeModelOptions } from './fake-model/start-fake-model.ts';
export { openModelLane, type ModelLane, type ModelLaneOptions } from './model-lane/model-lane.ts';
export {
  openChatModel,
  type ChatAnswer,
  type ChatModel,
  type ChatModelOptions,
  type ChatRequest,
} from './models/chat-model.ts';
export { openPackageLane, type PackageLane, type PackageLaneOptions } from './package-lane/package-lane.ts';
