class CalculatorController < ApplicationController
  def create
    expression = params.require(:expression)
    result = Arithmetic.new(expression).result.to_s
    Calculation.create!(expression: expression, result: result)
    render json: { result: result }
  rescue Arithmetic::Invalid, ActionController::ParameterMissing
    render json: { error: "invalid expression" }, status: :bad_request
  end
end
