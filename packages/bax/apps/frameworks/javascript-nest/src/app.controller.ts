import { BadRequestException, Body, Controller, HttpCode, Post } from '@nestjs/common';
import { AppService } from './app.service';

@Controller()
export class AppController {
  constructor(private readonly service: AppService) {}

  @Post('calculator')
  @HttpCode(200)
  async calculator(@Body() body: { expression?: unknown }) {
    let result: string;
    try {
      result = this.service.calculate(body.expression);
    } catch {
      throw new BadRequestException('invalid expression');
    }
    await this.service.keep(String(body.expression), result);
    return { result };
  }
}
