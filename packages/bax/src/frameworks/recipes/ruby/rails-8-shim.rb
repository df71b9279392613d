# Required by config/boot.rb. Answers are written for Rails 8.0, and Rails 7.2 is what runs them: what they ask of 8.0 by name is given here.
require "active_support"
require "active_support/lazy_load_hooks"

module Rails8Shim
  INSTALLED = "7.2"

  def self.newer?(version) = Gem::Version.new(version.to_s) > Gem::Version.new(INSTALLED)

  module Defaults
    def load_defaults(version)
      return super unless Rails8Shim.newer?(version)

      super(INSTALLED)
      Regexp.timeout ||= 1
    end
  end

  module MigrationVersions
    def find(version) = super(Rails8Shim.newer?(version) ? INSTALLED : version)
  end

  # db:migrate of 8.0 begins with db/schema.rb where the database is new.
  module SchemaFirst
    def migrate(...)
      config = migration_connection_pool.db_config
      fresh = !migration_connection_pool.schema_migration.table_exists?
      load_schema(config) if fresh && File.exist?(schema_dump_path(config))
      super
    end
  end

  # Parameters that must be there, of the shape that is said; a request without them is answered with 400.
  module Expect
    def expect(*filters)
      names = filters.flat_map { |filter| filter.is_a?(Hash) ? filter.keys : filter }
      permitted = permit(*filters)
      values = names.map { |name| permitted.require(name) }
      values.one? ? values.first : values
    end
  end

  # Whatever of Rails the answer requires is loaded now, and its application is not configured yet.
  ActiveSupport.on_load(:before_configuration) do
    Rails::Application::Configuration.prepend(Defaults)

    if defined?(ActiveRecord::Railtie)
      ActiveRecord::Migration::Compatibility.singleton_class.prepend(MigrationVersions)

      class DatabaseTasks < Rails::Railtie
        rake_tasks { ActiveRecord::Tasks::DatabaseTasks.singleton_class.prepend(SchemaFirst) }
      end
    end
  end

  ActiveSupport.on_load(:action_controller) do
    ActionController::Parameters.include(Expect)
    ActionController.const_set(:ExpectedParameterMissing, ActionController::ParameterMissing) unless ActionController.const_defined?(:ExpectedParameterMissing)
  end
end
