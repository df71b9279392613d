export { startFakeModel, type FakeModelOptions } from './fake-model/start-fake-model.ts';
export { openModelLane, type ModelLane, type ModelLaneOptions } from './model-lane/model-lane.ts';
export {
  openChatModel,
  type ChatAnswer,
  type ChatModel,
  type ChatModelOptions,
  type ChatRequest,
} from './models/chat-model.ts';
export type { LaneAnswer, LaneIndex, LaneRequest } from './package-lane/lane-answer.ts';
export type { OpenIndex, OpenIndexOptions, PackageIndex } from './package-lane/package-index.ts';
export { registerPackageIndex } from './package-lane/package-indexes.ts';
export type { Upstream } from './package-lane/upstream.ts';
export { openPackageLane, type PackageLane, type PackageLaneOptions } from './package-lane/package-lane.ts';
