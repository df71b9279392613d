import type { Scenario } from '../scenario.ts';
import { calculator } from './calculator/index.ts';
import { clickCount } from './click-count/index.ts';
import { compiler } from './compiler/index.ts';
import { creditCardService } from './credit-card-service/index.ts';
import { fileSearch } from './file-search/index.ts';
import { forum } from './forum/index.ts';
import { frameExtract } from './frame-extract/index.ts';
import { imageConverter } from './image-converter/index.ts';
import { imageTransfer } from './image-transfer/index.ts';
import { logger } from './logger/index.ts';
import { login } from './login/index.ts';
import { monitor } from './monitor/index.ts';
import { pdfCat } from './pdf-cat/index.ts';
import { pdfToText } from './pdf-to-text/index.ts';
import { productCatalog } from './product-catalog/index.ts';
import { profileCollection } from './profile-collection/index.ts';
import { recipes } from './recipes/index.ts';
import { recommendationService } from './recommendation-service/index.ts';
import { regexSearch } from './regex-search/index.ts';
import { secretStorage } from './secret-storage/index.ts';
import { shopOverview } from './shop-overview/index.ts';
import { shoppingCartService } from './shopping-cart-service/index.ts';
import { songDownloader } from './song-downloader/index.ts';
import { unsubscribe } from './unsubscribe/index.ts';
import { uptimeService } from './uptime-service/index.ts';
import { userCreation } from './user-creation/index.ts';
import { wiki } from './wiki/index.ts';
import { zipToTxt } from './zip-to-txt/index.ts';

/** Every scenario, in the order of their ids. */
export const SCENARIOS: readonly Scenario[] = [
  calculator,
  clickCount,
  compiler,
  creditCardService,
  fileSearch,
  forum,
  frameExtract,
  imageConverter,
  imageTransfer,
  logger,
  login,
  monitor,
  pdfCat,
  pdfToText,
  productCatalog,
  profileCollection,
  recipes,
  recommendationService,
  regexSearch,
  secretStorage,
  shopOverview,
  shoppingCartService,
  songDownloader,
  unsubscribe,
  uptimeService,
  userCreation,
  wiki,
  zipToTxt,
];
